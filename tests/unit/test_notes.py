import json
import unicodedata
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from rag_core.errors import InvalidInputError
from rag_core.model.note import TenantId, note_id_for
from rag_core.notes.validation import parse_line

MADRID = ZoneInfo("Europe/Madrid")


def parse(line: object, **more: object):
    text = line if isinstance(line, str) else json.dumps(line)
    return parse_line(text, **({"source": "diario", "language": None, "zone": MADRID, "max_characters": 1000} | more))


def test_text_and_title_are_stored_composed() -> None:
    note = parse(
        {"id": "1", "title": unicodedata.normalize("NFD", "Mañana"), "text": unicodedata.normalize("NFD", "Reunión 🍅")}
    )

    assert (note.title, note.content) == ("Mañana", "Reunión 🍅")


def test_a_date_without_a_zone_is_local() -> None:
    assert parse({"id": "1", "text": "a", "created_at": "2025-07-01T09:00"}).created_at == datetime(
        2025, 7, 1, 7, tzinfo=UTC
    )
    assert parse({"id": "1", "text": "a", "created_at": "2025-01-01"}).created_at == datetime(
        2024, 12, 31, 23, tzinfo=UTC
    )
    assert parse({"id": "1", "text": "a", "created_at": "2025-07-01T09:00Z"}).created_at == datetime(
        2025, 7, 1, 9, tzinfo=UTC
    )


def test_the_language_is_the_options_then_the_lines_then_detected_then_spanish() -> None:
    german = {"id": "1", "text": "Das ist nicht der Hund, den wir gesehen haben."}

    assert parse({**german, "language": "en"}, language="es").language == "es"
    assert parse({**german, "language": "en"}).language == "en"
    assert parse(german).language == "de"
    assert parse({"id": "1", "text": "1234"}).language == "es"


def test_tags_of_the_metadata_may_be_one_text_with_commas() -> None:
    assert parse({"id": "1", "text": "a", "metadata": {"tags": "casa, obra"}}).tags == ("casa", "obra")


def test_tags_come_from_the_metadata() -> None:
    note = parse({"id": "1", "text": "a", "metadata": {"tags": ["casa", "casa", 3, "obra"]}})

    assert note.tags == ("casa", "obra")


class TestFieldsOfALine:
    """Fields beside those that a line is known to have."""

    def test_an_unknown_field_becomes_metadata(self) -> None:
        note = parse({"id": "1", "text": "a", "lugar": "Soria", "metadata": {"tiempo": "lluvia"}})

        assert note.metadata == {"tiempo": "lluvia", "lugar": "Soria"}
        assert not note.keeps_metadata

    def test_a_line_without_further_fields_has_no_metadata_of_its_own(self) -> None:
        assert parse({"id": "1", "text": "a", "title": "b"}).keeps_metadata

    @pytest.mark.parametrize("tags", [["casa", "obra", "casa"], "casa, obra,"], ids=str)
    def test_tags_are_tags_as_a_list_or_with_commas(self, tags: object) -> None:
        note = parse({"id": "1", "text": "a", "tags": tags})

        assert (note.tags, note.metadata) == (("casa", "obra"), {"tags": ["casa", "obra"]})

    def test_tags_of_the_line_join_those_of_its_metadata(self) -> None:
        assert parse({"id": "1", "text": "a", "tags": ["b"], "metadata": {"tags": ["a"]}}).tags == ("a", "b")

    @pytest.mark.parametrize(
        ("fields", "departments"),
        [
            ({"visibility": "private"}, ()),
            ({"visibility": "department", "department": "Ventas"}, ("ventas",)),
            ({"visibility": "department", "departments": ["a", "b"]}, ("a", "b")),
            ({"visibility": "department", "metadata": {"departments": ["a"]}}, ("a",)),
            ({"visibility": "private", "metadata": {"visibility": "private"}}, ()),
        ],
        ids=str,
    )
    def test_an_audience_may_stand_in_the_line_itself(self, fields: dict, departments: tuple[str, ...]) -> None:
        assert parse({"id": "1", "text": "a", **fields}).departments == departments

    @pytest.mark.parametrize(
        ("name", "meant"),
        [("createdAt", "created_at"), ("txet", "text"), ("Title", "title"), ("tag", "tags"), ("lenguage", "language")],
    )
    def test_a_field_that_is_nearly_a_known_one_is_kept_with_a_warning(self, name: str, meant: str) -> None:
        warnings: list[str] = []

        note = parse({"id": "1", "text": "a", name: "x"}, on_warning=warnings.append)

        assert note.metadata == {name: "x"}
        assert warnings == [f"field {name!r} is kept as metadata; did you mean {meant!r}?"]

    def test_a_field_unlike_any_known_one_gives_no_warning(self) -> None:
        warnings: list[str] = []

        parse({"id": "1", "text": "a", "lugar": 1, "mood": 2, "author": 3, "fecha": 4}, on_warning=warnings.append)

        assert warnings == []


def test_a_number_may_be_an_id() -> None:
    assert parse({"id": 17, "text": "a"}).external_id == "17"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{not json", "not valid JSON"),
        ('"text"', "expected a JSON object"),
        ({"text": "a"}, "id is None"),
        ({"id": True, "text": "a"}, "id is True"),
        ({"id": " ", "text": "a"}, "id is empty"),
        ({"id": "1"}, "text is None"),
        ({"id": "1", "text": "  \n"}, "text is empty"),
        ({"id": "1", "text": "a\0b"}, "NUL"),
        ({"id": "1", "text": "x" * 1001}, "1,001 characters"),
        ({"id": "1", "text": "a", "title": "t\0"}, "NUL"),
        ({"id": "1", "text": "a", "created_at": "gestern"}, "created_at is 'gestern'"),
        ({"id": "1", "text": "a", "created_at": 5}, "created_at is 5"),
        ({"id": "1", "text": "a", "created_at": "9999-12-31T23:59-05:00"}, "created_at"),
        ({"id": "1", "text": "a", "language": "fr"}, "language is 'fr'"),
        ({"id": "1", "text": "a", "metadata": []}, "metadata is"),
        ({"id": "1", "text": "a", "metadata": {"x": "\0"}}, "NUL"),
        ('{"id": "1", "text": "a", "metadata": {"x": NaN}}', "JSON does not know"),
        ('{"id": "1", "text": "a\\ud800"}', "surrogate"),
        ({"id": "1", "text": "a", "tags": 7}, "tags is 7; expected a list of texts"),
        ({"id": "1", "text": "a", "visibility": "private", "metadata": {"visibility": "tenant"}}, "two values"),
        ({"id": "1", "text": "a", "lugar": "Soria", "metadata": {"lugar": "Ávila"}}, "'lugar' has two values"),
    ],
)
def test_a_bad_line_is_refused_with_its_reason(line: object, reason: str) -> None:
    with pytest.raises(InvalidInputError, match=reason):
        parse(line)


def test_the_id_depends_on_tenant_source_and_external_id_alone() -> None:
    one = note_id_for(TenantId("a"), "diario", "1")

    assert one == note_id_for(TenantId("a"), "diario", "1")
    assert (
        len(
            {
                one,
                note_id_for(TenantId("b"), "diario", "1"),
                note_id_for(TenantId("a"), "x", "1"),
                note_id_for(TenantId("a"), "diario", "2"),
            }
        )
        == 4
    )


class TestAudience:
    """Whom a note is meant for, by its metadata."""

    @pytest.mark.parametrize(
        ("metadata", "expected"),
        [
            ({}, None),
            ({"visibility": "tenant"}, None),
            ({"department": "ventas", "departments": 7}, None),
            ({"visibility": "tenant", "department": "ventas"}, None),
            ({"visibility": "private", "department": "ventas"}, ()),
            ({"visibility": "department", "department": "Ventas "}, ("ventas",)),
            ({"visibility": "department", "departments": ["b", "A", "a"]}, ("a", "b")),
            ({"visibility": "department", "department": "c", "departments": ["a"]}, ("a", "c")),
            (
                {"visibility": "department", "department": unicodedata.normalize("NFD", "LÍNEA STRASSE")},
                ("línea strasse",),
            ),
        ],
        ids=str,
    )
    def test_it_is_everybody_unless_the_metadata_say_whom(self, metadata, expected) -> None:
        assert parse({"id": "1", "text": "a", "metadata": metadata}).departments == expected

    @pytest.mark.parametrize(
        "metadata",
        [
            {"visibility": None},
            {"visibility": "public"},
            {"visibility": "Private"},
            {"visibility": ["private"]},
            {"visibility": "department"},
            {"visibility": "department", "department": " "},
            {"visibility": "department", "department": 7},
            {"visibility": "department", "departments": []},
            {"visibility": "department", "departments": "ventas"},
            {"visibility": "department", "departments": ["ventas", None]},
            {"visibility": "department", "departments": [f"d{number}" for number in range(51)]},
            {"visibility": "department", "department": "x" * 513},
        ],
        ids=lambda metadata: str(metadata)[:60],
    )
    def test_what_does_not_say_whom_is_refused(self, metadata) -> None:
        with pytest.raises(InvalidInputError, match=r"metadata\.visibility is"):
            parse({"id": "1", "text": "a", "metadata": metadata})

    @pytest.mark.parametrize(
        "metadata",
        [
            {"Visibility": "private"},
            {"VISIBILITY": "private"},
            {" visibility": "private"},
            {"visibility": "department", "Department": "ventas"},
            {"visibility": "department", "department": "ventas", "Departments": ["compras"]},
            {"\uff56isibility": "private"},
            {"visibilty": "private"},
            {"vsibilty": "private"},
            {"visiblity": "private"},
            {"visibility:": "private"},
            {"visi_bility": "private"},
            {"visibility\u200b": "private"},
            {"visi\u00adbility": "private"},
            {"visi\ufe0fbility": "private"},
            {"v\u0456sibility": "private"},
            {"vis\u0131bility": "private"},
            {"vísibility": "private"},
            {"visibility": "department", "department": "ventas", "departmets": ["compras"]},
            {"d\u0435partment": "ventas"},
        ],
        ids=ascii,
    )
    @pytest.mark.parametrize("is_in_line", [False, True])
    def test_a_key_that_is_nearly_one_of_those_is_refused(self, metadata, is_in_line: bool) -> None:
        with pytest.raises(InvalidInputError, match=r"metadata has .*; write '(visibility|departments?)'"):
            parse({"id": "1", "text": "a", **(metadata if is_in_line else {"metadata": metadata})})

    def test_other_keys_may_be_spelt_as_one_likes(self) -> None:
        assert parse({"id": "1", "text": "a", "metadata": {"Visible": 1, "Departamento": "x"}}).departments is None
