"""Filters of a caller, their meaning, and messages about mistakes."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.errors import AmbiguousNoteError, InvalidInputError, NotFoundError
from rag_core.model.note import NoteId, tag_key
from rag_core.model.retrieval import NO_FILTERS, Filters
from rag_core.retrieval.filters import parse_filters

MADRID = ZoneInfo("Europe/Madrid")
NOTES = {"n1": NoteId(UUID(int=1)), "diario:n2": NoteId(UUID(int=2)), str(UUID(int=3)): NoteId(UUID(int=3))}


def resolve(name: str) -> NoteId:
    if name == "doble":
        raise AmbiguousNoteError("doble stands in several sources", choices=["diario:doble", "viajes:doble"])
    if name not in NOTES:
        raise NotFoundError(f"no note is called {name!r}")
    return NOTES[name]


def parsed(wire: Any, zone: ZoneInfo = MADRID) -> Filters:
    return parse_filters(wire, zone=zone, resolve=resolve)


def problem(wire: Any) -> str:
    with pytest.raises(InvalidInputError) as caught:
        parsed(wire)
    return str(caught.value)


@pytest.mark.parametrize(
    "wire",
    [
        None,
        {},
        {"from": None, "to": None, "tags": None},
        {"kinds": [], "sources": [], "languages": [], "tags": [], "documentIds": []},
    ],
)
def test_what_is_absent_null_or_empty_restricts_nothing(wire: Any) -> None:
    assert parsed(wire) == NO_FILTERS


def test_every_key_is_taken() -> None:
    filters = parsed(
        {
            "from": "2025-03-01",
            "to": "2025-03-31",
            "kinds": ["note", "document"],
            "sources": ["diario"],
            "languages": ["es", "de"],
            "tags": ["trabajo"],
            "topics": ["riego", "Riego"],
            "documentTypes": ["invoice", "note"],
            "documentIds": ["n1"],
        }
    )

    assert filters == Filters(
        since=datetime(2025, 2, 28, 23, tzinfo=UTC),
        until=datetime(2025, 3, 31, 22, tzinfo=UTC),
        kinds=("note", "document"),
        sources=("diario",),
        languages=("es", "de"),
        tags=("trabajo",),
        topics=("riego",),
        document_types=("invoice", "note"),
        document_ids=(NoteId(UUID(int=1)),),
    )


class TestDates:
    def test_a_date_alone_begins_at_local_midnight(self) -> None:
        assert parsed({"from": "2025-07-01"}).since == datetime(2025, 6, 30, 22, tzinfo=UTC)

    def test_a_last_day_is_included_whole(self) -> None:
        assert parsed({"to": "2025-07-01"}).until == datetime(2025, 7, 1, 22, tzinfo=UTC)

    def test_the_day_the_clocks_go_forward_has_23_hours(self) -> None:
        filters = parsed({"from": "2025-03-30", "to": "2025-03-30"})

        assert (filters.since, filters.until) == (
            datetime(2025, 3, 29, 23, tzinfo=UTC),
            datetime(2025, 3, 30, 22, tzinfo=UTC),
        )

    def test_a_time_without_a_zone_is_local(self) -> None:
        assert parsed({"from": "2025-01-01T09:30"}).since == datetime(2025, 1, 1, 8, 30, tzinfo=UTC)

    @pytest.mark.parametrize("written", ["2025-01-01T09:30:00Z", "2025-01-01T11:30+02:00", " 2025-01-01 09:30Z "])
    def test_a_zone_that_is_written_counts(self, written: str) -> None:
        assert parsed({"to": written}).until == datetime(2025, 1, 1, 9, 30, tzinfo=UTC)

    def test_the_ends_of_the_calendar_are_taken(self) -> None:
        filters = parsed({"from": "0001-01-01", "to": "9999-12-31"}, ZoneInfo("Asia/Tokyo"))

        assert (filters.since, filters.until) == (
            datetime.min.replace(tzinfo=UTC),
            datetime.max.replace(tzinfo=UTC),
        )

    @pytest.mark.parametrize("written", ["ayer", "", "2025-13-01", "2025-02-29", "1/3/2025", "2025-03-01T25:00"])
    def test_what_is_no_date_is_named(self, written: str) -> None:
        said = problem({"from": written})

        assert said.startswith(f"filters.from: «{written}» no es una fecha ISO 8601 válida")

    @pytest.mark.parametrize(
        ("since", "until"), [("2025-03-02", "2025-03-01"), ("2025-03-01T09:00Z", "2025-03-01T09:00Z")]
    )
    def test_a_time_that_ends_before_it_begins_is_refused(self, since: str, until: str) -> None:
        said = problem({"from": since, "to": until})

        assert said == f"filters: from ({since}) debe ser anterior a to ({until})"

    @given(st.dates(), st.timezones())
    def test_from_and_to_the_same_day_are_that_day_in_any_zone(self, day, zone) -> None:
        filters = parse_filters({"from": day.isoformat(), "to": day.isoformat()}, zone=zone, resolve=resolve)

        assert filters.since < filters.until


class TestLists:
    def test_a_value_given_twice_counts_once(self) -> None:
        filters = parsed({"sources": ["diario", " diario "], "languages": ["es", "es"]})

        assert (filters.sources, filters.languages) == (("diario",), ("es",))

    def test_tags_are_the_same_in_any_case_and_any_form_of_an_accent(self) -> None:
        filters = parsed({"tags": ["Accio\u0301n", "viaje", "ACCIÓN", "acción"]})

        assert filters.tags == ("Acción", "viaje")

    @given(st.text(min_size=1))
    def test_the_key_of_a_tags_key_is_itself(self, tag: str) -> None:
        assert tag_key(tag_key(tag)) == tag_key(tag)

    def test_notes_are_named_by_any_of_their_names(self) -> None:
        filters = parsed({"documentIds": ["n1", "diario:n2", str(UUID(int=3))]})

        assert filters.document_ids == (UUID(int=1), UUID(int=2), UUID(int=3))

    def test_a_note_that_is_not_there_is_named(self) -> None:
        assert problem({"documentIds": ["nada"]}) == "filters.documentIds: no existe ninguna nota llamada «nada»"

    def test_a_name_of_several_notes_lists_them(self) -> None:
        assert problem({"documentIds": ["doble"]}) == (
            "filters.documentIds: «doble» está en varias fuentes; escribe uno de diario:doble, viajes:doble"
        )

    @pytest.mark.parametrize(
        ("wire", "said"),
        [
            ({"fecha": "2025"}, "filters.fecha: campo desconocido"),
            ({"since": "2025-01-01"}, "filters.since: campo desconocido"),
            ([], "filters: debe ser un objeto"),
            ("hoy", "filters: debe ser un objeto"),
            ({"from": 2025}, "filters.from: debe ser un texto"),
            ({"tags": "trabajo"}, "filters.tags: debe ser una lista"),
            ({"tags": [1]}, "filters.tags.0: debe ser un texto"),
            ({"tags": ["bien", "  "]}, "filters.tags.1: no puede estar en blanco"),
            ({"sources": ["a\0b"]}, "filters.sources.0: contiene un carácter no admitido"),
            ({"tags": ["x" * 513]}, "filters.tags.0: supera el máximo de 512 caracteres"),
            ({"kinds": ["nota"]}, "filters.kinds.0: valor no admitido; se espera 'note' o 'document'"),
            ({"languages": ["fr"]}, "filters.languages.0: valor no admitido; se espera 'es', 'de' o 'en'"),
            ({"tags": ["x"] * 101}, "filters.tags: sobran elementos; se admiten como máximo 100"),
        ],
    )
    def test_a_mistake_is_told_in_spanish_with_its_place(self, wire: Any, said: str) -> None:
        assert problem(wire) == said

    def test_all_mistakes_are_told_at_once(self) -> None:
        said = problem({"fuentes": ["x"], "kinds": ["nota"]})

        assert "filters.fuentes: campo desconocido" in said
        assert "filters.kinds.0: valor no admitido" in said

    def test_a_hundred_values_are_taken(self) -> None:
        assert len(parsed({"tags": [f"t{number}" for number in range(100)]}).tags) == 100
