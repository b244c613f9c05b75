"""Sentences that name a time that is asked for, read on the day of their note."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from builders import make_source

from rag_core.answering.quoting.asked_time import names_time, stands_under_time
from rag_core.model.answer import AskedTime, Source

MADRID, MEXICO = ZoneInfo("Europe/Madrid"), ZoneInfo("America/Mexico_City")
UNDATED = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))


def asked(zone: ZoneInfo) -> AskedTime:
    """March 2024 as a time that is asked for."""
    march, april = (datetime(2024, month, 1, tzinfo=zone) for month in (3, 4))
    return AskedTime(since=march, until=april, without="", is_all=True)


def written(at: datetime) -> Source:
    return make_source("", created_at=at)


@pytest.mark.parametrize(
    ("sentence", "is_named"), [("Ayer nevó.", True), ("El 2 de marzo nevó.", True), ("Hace un mes nevó.", False)]
)
def test_a_sentence_is_read_on_the_day_of_its_note(sentence: str, *, is_named: bool) -> None:
    note = written(datetime(2024, 3, 3, 23, 30, tzinfo=UTC))

    assert names_time(sentence, note, asked(MADRID)) is is_named


@pytest.mark.parametrize("at", UNDATED)
@pytest.mark.parametrize("zone", [MADRID, MEXICO])
@pytest.mark.parametrize("sentence", ["Ayer nevó.", "Nevó desde el lunes.", "Nevó la semana pasada.", "Hoy nieva."])
def test_a_note_of_the_calendars_first_or_last_moment_names_none_by_counting_from_it(
    sentence: str, zone: ZoneInfo, at: datetime
) -> None:
    assert not names_time(sentence, written(at), asked(zone))


def test_a_date_in_a_note_of_the_calendars_last_moment_is_named() -> None:
    assert names_time("El 2 de marzo de 2024 nevó.", written(UNDATED[1]), asked(MADRID))


@pytest.mark.parametrize(
    ("sentence", "is_named"),
    [("| Nada | 2024-03 |", True), ("| Nada | 2024-04 |", False), ("Factura 2024-03-A", False), ("2024-03-05", True)],
)
def test_a_month_may_be_written_as_in_iso_8601(sentence: str, *, is_named: bool) -> None:
    assert names_time(sentence, written(datetime(2025, 6, 1, tzinfo=UTC)), asked(MADRID)) is is_named


@pytest.mark.parametrize(
    ("title", "over", "is_under"),
    [
        ("Reunión marzo 2024", "", True),
        ("Reunión marzo 2024", "## Abril\n\n", False),
        ("Reunión 2024-03", "## Acuerdos\n\n", True),
        ("Lecturas de 2024", "## Marzo\n\n", True),
        ("Lecturas", "# 2024\n\n## Febrero\n\nRayuela.\n\n## Marzo\n\n### Novelas\n\n", True),
        ("Lecturas", "# 2024\n\n## Febrero\n\n### Marzo\n\n### Novelas\n\n", False),
        ("Lecturas", "# 2025\n\n## Marzo\n\n", False),
        ("Lecturas", "## Marzo\n\n", False),
        (None, "", False),
    ],
)
def test_the_innermost_time_over_a_line_is_its_own(title: str | None, over: str, *, is_under: bool) -> None:
    text = f"{over}Nada, de Carmen Laforet."
    note = make_source(text, title=title, created_at=datetime(2025, 6, 1, tzinfo=UTC))

    assert stands_under_time(len(text), note, asked(MADRID)) is is_under
