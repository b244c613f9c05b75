"""The day of a file's note, and where it comes from."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from rag_core.folders.dates import date_of_fields, dated, day_of_heading, day_of_name

MADRID = ZoneInfo("Europe/Madrid")
APRIL_3 = datetime(2024, 4, 3, tzinfo=MADRID)


@pytest.mark.parametrize(
    "name",
    [
        "2024-04-03.md",
        "diario/2024-04-03 Roma.md",
        "20240403.md",
        "Acta_2024_04_03.pdf",
        "IMG-20240403-WA0001.jpg",
        "2024.04.03.txt",
    ],
)
def test_a_day_is_read_in_a_name(name: str) -> None:
    assert day_of_name(name, MADRID) == APRIL_3


@pytest.mark.parametrize("name", ["2024-W14.md", "Semana 2024W14.md"])
def test_a_week_is_its_monday(name: str) -> None:
    assert day_of_name(name, MADRID) == datetime(2024, 4, 1, tzinfo=MADRID)


@pytest.mark.parametrize(
    "name", ["Pan.md", "2024-13-03.md", "99999999.md", "0912-04-03.md", "1202404031.md", "2024-W60.md", "2024-04-3.md"]
)
def test_other_names_have_none(name: str) -> None:
    assert day_of_name(name, MADRID) is None


@pytest.mark.parametrize(
    "heading",
    ["2024-04-03", "Miércoles, 3 de abril de 2024", "3. April 2024", "April 3, 2024", "Reunión del 3 de abril de 2024"],
)
def test_a_day_is_read_in_a_heading(heading: str) -> None:
    assert day_of_heading(heading, MADRID) == APRIL_3


@pytest.mark.parametrize("heading", ["Ayer", "Abril de 2024", "Lunes", "3 de abril", "Pan"])
def test_a_heading_without_one_day_and_year_has_none(heading: str) -> None:
    assert day_of_heading(heading, MADRID) is None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"date": date(2024, 4, 3)}, APRIL_3),
        ({"Fecha": "2024-04-03"}, APRIL_3),
        ({"created": datetime(2024, 4, 3, 9, tzinfo=UTC)}, datetime(2024, 4, 3, 9, tzinfo=UTC)),
        ({"created": "2024-04-03T09:30"}, datetime(2024, 4, 3, 9, 30, tzinfo=MADRID)),
        ({"datum": "3. April 2024"}, APRIL_3),
        ({"date": "pronto", "created": date(2024, 4, 3)}, APRIL_3),
    ],
)
def test_a_date_is_read_in_front_matter(fields: dict[str, object], expected: datetime) -> None:
    assert date_of_fields(fields, MADRID) == (expected, None)


def test_a_date_field_that_cannot_be_read_is_named() -> None:
    assert date_of_fields({"date": "pronto"}, MADRID) == (None, "date")


def test_what_is_written_comes_before_the_name_the_heading_and_the_file() -> None:
    def found(written: datetime | None, path: str, heading: str | None) -> tuple[datetime, str]:
        return dated(
            written=written, path=path, heading=heading, file_time=datetime(2001, 9, 9, tzinfo=UTC), zone=MADRID
        )

    assert found(APRIL_3, "2023-01-01.md", "2 de mayo de 2022") == (APRIL_3, "given")
    assert found(None, "2024-04-03.md", "2 de mayo de 2022") == (APRIL_3, "name")
    assert found(None, "Roma.md", "3 de abril de 2024") == (APRIL_3, "heading")
    assert found(None, "Roma.md", "Roma")[1] == "file"
