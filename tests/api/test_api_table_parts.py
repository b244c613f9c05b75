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
