"""Sections as parents of passages: in the structure of documents, and in what RAG V2 finds."""

import json
from typing import Any

import pytest
from builders import make_new_note
from fastapi.testclient import TestClient
from jobs_done import DoJobs
from test_api_documents import uploaded, workbook

from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.notes import ensure_tenant, store_notes

SEARCH = "/api/v2/rag/search"
FILLING = " ".join(
    f"Am Tag {day} blieb der Himmel über den Beeten grau und es geschah sonst nichts." for day in range(40)
)
TEXT = "\n\n".join(
    [
        "# Garten",
        f"Der Zaun ist aus Lärchenholz. {FILLING}",
        "## Beete",
        f"Die Tomaten stehen am Südhang. {FILLING}",
        "### Wasser",
        f"Die Zisterne fasst neuntausend Liter. {FILLING}",
        "# Haus",
        f"Der Kamin wurde im Herbst gefegt. {FILLING}",
    ]
)


@pytest.fixture
def document(client: TestClient, do_jobs: DoJobs) -> str:
    """A document with sections within sections."""
    sent = uploaded(client, TEXT, "Garten.md")
    do_jobs()
    return sent


def structure_of(client: TestClient, document: str) -> dict[str, Any]:
    return dict(client.get(f"/api/v2/documents/{document}/structure").json())


def found(client: TestClient, query: str, **more: Any) -> dict[str, Any]:
    """The first passage."""
    result: dict[str, Any] = client.post(SEARCH, json={"query": query, **more}).json()["results"][0]
    return result


def test_a_section_names_the_one_around_it_and_the_way_to_it(client: TestClient, document: str) -> None:
    sections = structure_of(client, document)["sections"]

    ids = {section["title"]: section["id"] for section in sections}
    assert {section["title"]: section["parentId"] for section in sections} == {
        "Garten": document,
        "Beete": ids["Garten"],
        "Wasser": ids["Beete"],
        "Haus": document,
    }
    assert sections[2]["path"] == ["Garten", "Beete", "Wasser"]
    assert len({document, *ids.values()}) == 5


def test_each_block_names_the_heading_that_it_stands_under(client: TestClient, document: str) -> None:
    structure = structure_of(client, document)

    blocks, contents = structure["blocks"], structure["tableOfContents"]
    headings = {entry["title"]: entry["blockId"] for entry in contents}
    assert [(entry["title"], entry["level"]) for entry in contents] == [
        ("Garten", 1),
        ("Beete", 2),
        ("Wasser", 3),
        ("Haus", 1),
    ]
    assert [block["parentId"] for block in blocks] == [
        *(None, headings["Garten"]),
        *(headings["Garten"], headings["Beete"]),
        *(headings["Beete"], headings["Wasser"]),
        *(None, headings["Haus"]),
    ]
    assert [block["id"] for block in blocks[::2]] == list(headings.values())
    assert len({block["id"] for block in blocks}) == 8
    assert structure_of(client, document)["blocks"] == blocks


def test_warnings_have_their_types_and_places_as_far_as_they_were_stored(
    client: TestClient, do_jobs: DoJobs, engine: Engine
) -> None:
    document = uploaded(client, workbook("broca"), "Taller.xlsx")
    do_jobs()
    kept = ["sheet 1: hard to read", {"type": "low_confidence", "text": "sheet 1: doubtful"}, "no date"]
    with engine.database.owner() as owner:
        owner.execute("update brain.documents set warnings = %s::jsonb", (json.dumps(kept),))

    structure = structure_of(client, document)

    first = structure["blocks"][0]["id"]
    assert structure["parserMetadata"]["warnings"] == [
        {"type": None, "message": "hard to read", "page": 1, "blockId": first},
        {"type": "low_confidence", "message": "doubtful", "page": 1, "blockId": first},
        {"type": None, "message": "no date", "page": None, "blockId": None},
    ]
    told = client.get(f"/api/v2/documents/{document}/status").json()["warnings"]
    assert (len(told), told) == (3, structure["metadata"]["extractionWarnings"])


def test_each_chunk_names_the_section_that_it_begins_in(client: TestClient, document: str) -> None:
    structure = structure_of(client, document)

    assert len(structure["chunks"]) > 5
    for chunk in structure["chunks"]:
        around = [one for one in structure["sections"] if one["start"] <= chunk["start"] < one["end"]]
        assert chunk["level"] == 2
        assert (chunk["parentId"], chunk["sectionPath"]) == (around[-1]["id"], around[-1]["path"])
        assert chunk["sentences"] >= 1
        assert chunk["semanticDensity"] is None  # this model has one vector a chunk


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("Woraus ist der Zaun, Lärchenholz?", "Garten"),
        ("Wo stehen die Tomaten am Südhang?", "Beete"),
        ("Wie viele Liter fasst die Zisterne?", "Wasser"),
        ("Wann wurde der Kamin gefegt?", "Haus"),
    ],
)
def test_a_passage_names_the_section_of_the_structure(
    client: TestClient, document: str, query: str, title: str
) -> None:
    (section,) = (one for one in structure_of(client, document)["sections"] if one["title"] == title)

    result = found(client, query)

    assert (result["level"], result["parentId"]) == (2, section["id"])


def test_a_passage_before_the_first_heading_belongs_to_the_document(client: TestClient, do_jobs: DoJobs) -> None:
    document = uploaded(client, f"Das Vorwort schrieb der Gärtner. {FILLING}\n\n# Garten\n\n{FILLING}")
    do_jobs()

    result = found(client, "Wer schrieb das Vorwort?")

    assert (result["level"], result["parentId"]) == (2, document)


def test_a_note_that_is_not_chunked_is_all_of_its_document(client: TestClient, engine: Engine) -> None:
    tenant = TenantId("default")
    with engine.database.transaction(tenant, has_copy=True) as connection:
        ensure_tenant(connection, tenant)
        store_notes(connection, tenant, [make_new_note("# Garten\n\nDie Zisterne ist leer.", language="de")])

    result = found(client, "Zisterne leer")

    assert (result["level"], result["parentId"]) == (0, None)


def test_the_section_is_given_unless_it_is_not_wanted(client: TestClient, document: str) -> None:
    query = "Wie viele Liter fasst die Zisterne?"

    wanted, unwanted = found(client, query), found(client, query, includeParentChunks=False)

    assert wanted["parentContent"].startswith("### Wasser")
    assert unwanted["parentContent"] is None
    assert (unwanted["content"], unwanted["parentId"]) == (wanted["content"], wanted["parentId"])


def test_candidates_are_counted_beyond_the_limit(client: TestClient, document: str) -> None:
    body = client.post(SEARCH, json={"query": "Himmel über den Beeten", "limit": 1}).json()

    assert len(body["results"]) == 1
    assert body["totalCandidates"] == len(structure_of(client, document)["chunks"])
