"""Parts of tables among what RAG V2 finds: which rows of the table each has."""

import pytest
from fastapi.testclient import TestClient
from jobs_done import DoJobs
from test_api_documents import uploaded

PARTS = {"Schraube": range(20), "Bolzen": range(20, 40), "Niete": range(40, 45)}
TEXT = "\n".join(
    [
        *("# Größen", "", "Vorwort mit Umlauten: äöü ß.", "", "| Teil | Maß |", "| --- | --- |"),
        *(f"| {part} | {number} |" for part, numbers in PARTS.items() for number in numbers),
        *("", "Nach der Tabelle.", "", "| Werkzeug | Farbe |", "| --- | --- |", "| Zange | rot |", "| Säge | blau |"),
    ]
)


@pytest.mark.parametrize(
    ("query", "kind", "rows"),
    [
        *((part, "table_segment", [numbers[0], numbers[-1] + 1]) for part, numbers in PARTS.items()),
        ("Vorwort mit Umlauten", "table_summary", None),
        ("Säge", "full_table", [0, 2]),
    ],
)
def test_each_part_says_which_rows_of_its_table_it_has(
    client: TestClient, do_jobs: DoJobs, query: str, kind: str, rows: list[int] | None
) -> None:
    uploaded(client, TEXT, "Lager.md")
    do_jobs()

    found = client.post("/api/v2/rag/search", json={"query": query, "searchTables": True}).json()["tables"][0]

    shown = found["content"].splitlines()[2:]
    assert (found["type"], found["rowRange"], found["rowCount"]) == (kind, rows, len(shown))
    if kind == "table_segment":
        assert shown == [f"| {query} | {number} |" for number in PARTS[query]]


def test_the_columns_of_a_wide_row_are_tables_with_their_own_headers(client: TestClient, do_jobs: DoJobs) -> None:
    headers = ["Monat", *(f"Messstelle {number} am Oberlauf der Isar" for number in range(1, 61))]
    rows = [[month, *(f"{month} gemessen {number * 7}" for number in range(1, 61))] for month in ("Januar", "Juni")]
    lines = [headers, ["---"] * len(headers), *rows]
    uploaded(client, "\n".join(["Regen", "", *(f"| {' | '.join(line)} |" for line in lines)]), "Regen.md")
    do_jobs()

    body = {"query": "Juni gemessen 420 Messstelle 60", "searchTables": True, "limit": 20}
    tables = client.post("/api/v2/rag/search", json=body).json()["tables"]

    (found,) = [table for table in tables if "Juni gemessen 420" in table["content"]]
    head, _, row = found["content"].splitlines()
    assert (found["rowRange"], found["rowCount"]) == ([1, 2], 1)
    assert found["caption"] == "Regen. Monat: Juni"
    assert found["headers"] == headers[-found["columnCount"] :]
    assert 1 < found["columnCount"] < 60
    assert (head.count("|"), row.count("|")) == (found["columnCount"] + 1,) * 2
    summaries = [(table["rowRange"], table["rowCount"]) for table in tables if table["type"] == "table_summary"]
    assert set(summaries) == {(None, 0)}
