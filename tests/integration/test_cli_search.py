"""`brain search` with conditions, and what it says to people."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from command_line import Brain, Done
from fastapi.testclient import TestClient

from rag_core.api.app import create_app
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Retrieval, TransformedQuery
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.terminal import searching


@pytest.fixture
def travels(make_note, index_notes) -> None:
    """Three notes about trains, indexed."""
    make_note("Viajé en tren a Cádiz.", external_id="marzo", created_at="2025-03-10", metadata={"tags": ["Familia"]})
    make_note("Viajé en tren a Vigo.", external_id="abril", created_at="2025-04-01", source="cartas")
    make_note("Mit dem Zug, dem Tren, nach Bremen.", external_id="zug", created_at="2025-03-31T23:00", language="de")
    index_notes()


def found(done: Done) -> set[str]:
    assert done.exit_code == 0, done.output
    return {result["externalId"] for result in json.loads(done.stdout)["results"]}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "marzo abril zug"),
        (["--from", "2025-03-11", "--to", "2025-03-31"], "zug"),
        (["--from", "2025-04-01"], "abril"),
        (["--source", "cartas", "--source", "notas"], "marzo abril zug"),
        (["--source", "cartas"], "abril"),
        (["--language", "es"], "marzo abril"),
        (["--tag", "familia"], "marzo"),
        (["--kind", "document"], ""),
        (["--type", "invoice"], ""),
        (["--type", "other", "--tag", "familia"], "marzo"),
        (["--document", "zug", "--document", "cartas:abril"], "abril zug"),
    ],
    ids=str,
)
@pytest.mark.usefixtures("travels")
def test_only_notes_that_meet_the_conditions_are_found(brain: Brain, words: list[str], expected: str) -> None:
    assert found(brain("search", "tren", "--top-k", "50", "--json", *words)) == set(expected.split())


@pytest.mark.usefixtures("travels")
def test_its_json_is_the_body_of_the_api(brain: Brain) -> None:
    body = {"query": "tren", "filters": {"to": "2025-03-31", "tags": ["familia"]}, "topK": 3}
    with open_engine(read_settings()) as engine, TestClient(create_app(engine), base_url="http://127.0.0.1") as client:
        over_http = client.post("/api/retrieve", json=body).json()

    printed = json.loads(
        brain("search", "tren", "--to", "2025-03-31", "--tag", "familia", "--top-k", "3", "--json").stdout
    )

    assert without_times(printed) == without_times(over_http)
    assert printed["results"]


def without_times(body: dict[str, Any]) -> dict[str, Any]:
    metadata = {**body["metadata"], "latencyMs": 0, "stages": sorted(body["metadata"]["stages"])}
    return {**body, "metadata": metadata}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--kind", "nota"], "'nota' is not one of note, document"),
        (["--type", "carta"], "'carta' is not one of contract, invoice, report"),
        (["--language", "fr"], "'fr' is not one of es, de, en"),
    ],
)
def test_a_value_that_is_none_of_the_choices_is_wrong_usage(brain: Brain, words: list[str], said: str) -> None:
    done = brain("search", "tren", *words)

    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--from", "ayer"], 2, "filters.from: 'ayer' is not a valid ISO 8601 date"),
        (["--to", "2025-02-30"], 2, "filters.to: '2025-02-30' is not a valid ISO 8601 date"),
        (["--from", "2025-03-02", "--to", "2025-03-01"], 2, "from (2025-03-02) must be before to (2025-03-01)"),
        (["--document", "nadie"], 1, "filters.documentIds: no note is called 'nadie'"),
    ],
)
def test_a_condition_that_cannot_be_is_told(brain: Brain, words: list[str], status: int, said: str) -> None:
    done = brain("search", "tren", "--json", *words)

    assert done.exit_code == status
    assert said in json.loads(done.stdout)["error"]


@pytest.mark.usefixtures("travels")
def test_what_was_understood_and_the_warnings_are_told_beside_the_results(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    retrieve = searching.retrieve

    def explained(engine: Engine, tenant: TenantId, text: str, **more: Any) -> Retrieval:
        plain = retrieve(engine, tenant, text, **more)
        query = TransformedQuery(
            original_query=text,
            intent="causal",
            sub_queries=(text,),
            timestamp=datetime(2025, 4, 9, tzinfo=UTC),
            direction="causes",
        )
        week = (datetime(2025, 3, 30, 22, tzinfo=UTC), datetime(2025, 4, 6, 22, tzinfo=UTC))
        hits = (replace(plain.hits[0], causal_path_names=("viaje [largo]", "huelga")),)
        return replace(
            plain,
            transformed=query,
            interval=week,
            hits=hits,
            warnings=("Búsqueda parcial completada (tiempo límite excedido)",),
        )

    monkeypatch.setattr(searching, "retrieve", explained)

    done = brain("search", "tren")

    assert "Understood: asks for causes · 31 Mar – 6 Apr" in done.stderr
    assert "huelga → viaje [largo]" in done.stdout
    assert "(Partial search: the time limit was exceeded)" in done.stderr


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_a_note_of_the_calendars_first_or_last_moment_is_shown_with_its_day(
    brain: Brain, make_note, index_notes, moment: str
) -> None:
    make_note("Viajé en tren a Cádiz.", external_id="n", created_at=moment)
    index_notes()

    done = brain("search", "tren")

    assert done.exit_code == 0, done.output
    assert f"[1] n  {moment[:10]}  n  by " in done.stdout


@pytest.mark.parametrize(
    ("strategy", "ways"), [("fulltext", "by words"), ("semantic", "by likeness"), ("hybrid", "by words, by likeness")]
)
def test_a_result_says_in_which_ways_it_was_found_and_no_score(
    brain: Brain, make_note, index_notes, strategy: str, ways: str
) -> None:
    make_note("Viajé en tren a Cádiz. " * 20, external_id="n", created_at="2025-03-01")
    index_notes()

    first, *passage = brain("search", "tren", "--strategy", strategy).stdout.rstrip().splitlines()

    assert first.startswith("[1] n  2025-03-01  n  by ")
    assert sorted(first.removeprefix("[1] n  2025-03-01  n  ").split(", ")) == sorted(ways.split(", "))
    assert len(passage) > 1
    assert all(line.startswith("    ") for line in passage)


def test_nothing_found_under_conditions_says_to_leave_one_out(brain: Brain, make_note) -> None:
    make_note("Viajé en tren a Cádiz.")

    done = brain("search", "tren", "--tag", "nada")

    assert done.exit_code == 0
    assert "leave one out" in done.stderr


@pytest.mark.parametrize("command", ["search", "evaluate"])
def test_a_file_with_sizes_of_chunks_is_refused_as_by_promote(brain: Brain, travels, tmp_path, command: str) -> None:
    file = tmp_path / "mine.json"
    file.write_text('{"chunking": {"maxChunkSize": 256}}')
    words = ["search", "trenes"] if command == "search" else ["evaluate"]

    refused = brain(*words, "--config", str(file), "--json")

    assert refused.exit_code == 1
    assert "chunking is decided when notes are indexed" in json.loads(refused.stdout)["error"]


def test_a_snippet_is_shown_without_marks_of_markdown(brain: Brain, make_note, index_notes) -> None:
    make_note("## Viajes\n- [ ] Tren a [[Cádiz]] con **Ana**", external_id="n")
    index_notes()

    assert "    Viajes Tren a Cádiz con Ana" in [line.rstrip() for line in brain("search", "tren").stdout.splitlines()]
