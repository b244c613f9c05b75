"""Results of ``POST /api/v2/rag/search``: their order, what the graph adds, and personal data in both."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

import pytest
from asked_notes import BADGE, BADGE_NUMBERS, served_notes
from builders import make_hit

from rag_core.api.rag_v2.routed import graph_to_wire
from rag_core.model.graph import Relation, RelationKind
from rag_core.model.note import ChunkId, NoteId
from rag_core.model.retrieval import Hit, Retrieval, TransformedQuery
from rag_core.retrieval.routed import Routed, arranged, holds_table, routed

PATH = "/api/v2/rag/search"


def relation(source: str, target: str, *, kind: RelationKind = "CAUSES") -> Relation:
    return Relation(
        id=uuid5(UUID(int=0), f"{source} {kind} {target}"),
        source_id=source.lower(),
        target_id=target.lower(),
        kind=kind,
        confidence=0.75,
        note_id=NoteId(UUID(int=7)),
        language="de",
        evidence=f"Wegen {source} kam {target}.",
    )


def hit(
    number: int, *, note: int, text: str = "", path: tuple[str, ...] | None = None, relations: tuple[Relation, ...] = ()
) -> Hit:
    return make_hit(
        text,
        chunk_id=ChunkId(UUID(int=number)),
        note_id=NoteId(UUID(int=note)),
        external_id=f"n{note}",
        language="de",
        causal_path=None if path is None else tuple(name.lower() for name in path),
        causal_path_names=path,
        causal_relations=relations,
    )


class TestArranging:
    def test_every_document_has_a_turn_before_a_second_passage_of_any(self) -> None:
        hits = [hit(1, note=1), hit(2, note=1), hit(3, note=2), hit(4, note=1), hit(5, note=2)]

        ordered = arranged(hits, [], "multi_index", limit=10)

        assert [one.chunk_id.int for one in ordered] == [1, 3, 2, 5, 4]

    def test_passages_with_tables_come_first_in_their_order(self) -> None:
        table = "| a | b |\n| 1 | 2 |"
        hits = [hit(1, note=1), hit(2, note=2, text=table), hit(3, note=3), hit(4, note=4, text=table)]

        assert [one.chunk_id.int for one in arranged(hits, [], "table_focused", limit=10)] == [2, 4, 1, 3]

    def test_what_was_found_among_tables_comes_before_the_rest_and_once(self) -> None:
        hits, tables = [hit(1, note=1), hit(2, note=2), hit(3, note=3)], [hit(7, note=7), hit(2, note=2)]

        assert [one.chunk_id.int for one in arranged(hits, tables, "table_focused", limit=3)] == [7, 2, 1]

    @pytest.mark.parametrize("strategy", ["hybrid", "vector_only", "hybrid_with_graph_refinement"])
    def test_others_stay_as_they_were_found(self, strategy: Any) -> None:
        hits = [hit(1, note=1), hit(2, note=1, text="| a | b |\n| 1 | 2 |")]

        assert arranged(hits, [], strategy, limit=10) == hits

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("a\tb\nc\td", True),
            ("| a | b |\n|---|---|", True),
            ("| a | b |", False),
            ("Ja | nein\nOder", False),
            ("", False),
        ],
    )
    def test_a_table_has_two_rows(self, text: str, expected: bool) -> None:
        assert holds_table(text) is expected


class TestTheGraphsPart:
    def retrieval(self, direction: Any) -> Retrieval:
        asked = TransformedQuery(
            original_query="q",
            intent="causal",
            sub_queries=("q",),
            timestamp=datetime(2025, 3, 3, tzinfo=UTC),
            direction=direction,
        )
        stress, moving = relation("Stress", "Müdigkeit"), relation("Umzug", "Stress", kind="TRIGGERS")
        hits = (
            hit(1, note=1, path=("Müdigkeit", "Stress"), relations=(stress,)),
            hit(2, note=2, path=("Müdigkeit", "Stress", "Umzug"), relations=(stress, moving)),
        )
        return Retrieval(query="q", strategy="hybrid", hits=hits, latency_ms=1, stages={}, transformed=asked)

    def routing(self, *, has_graph: bool) -> Routed:
        return replace(routed("Warum?", strategy=None, include_graph=None), has_graph=has_graph)

    def test_says_what_led_to_what_and_how_that_is_known(self) -> None:
        told = graph_to_wire(self.retrieval("causes"), self.routing(has_graph=True), str)

        assert told is not None
        assert told["entities"] == [
            {"id": "müdigkeit", "name": "Müdigkeit"},
            {"id": "stress", "name": "Stress"},
            {"id": "umzug", "name": "Umzug"},
        ]
        assert told["relationships"][1] == {
            "source": "Umzug",
            "target": "Stress",
            "type": "TRIGGERS",
            "confidence": 0.75,
            "evidence": "Wegen Umzug kam Stress.",
            "documentId": str(UUID(int=7)),
        }
        assert [one["type"] for one in told["relationships"]] == ["CAUSES", "TRIGGERS"]
        assert told["summary"] == "„Stress“ verursacht „Müdigkeit“; „Umzug“ löst „Stress“ aus"

    def test_names_the_kind_that_the_document_says(self, server: str, template: str) -> None:
        text = "Das Unwetter löste den Stromausfall aus."
        with served_notes(
            server, template, notes=[{"externalId": "ausfall", "content": text, "language": "de"}]
        ) as client:
            told = client.post(PATH, json={"query": "Warum kam es zum Stromausfall?"}).json()["graphContext"]

        (relation,) = told["relationships"]
        assert relation["type"] == "TRIGGERS"
        assert relation["evidence"] == text
        assert 0 < relation["confidence"] <= 1
        assert told["summary"] == f"„{relation['source']}“ löst „{relation['target']}“ aus"

    def test_is_absent_where_it_was_not_asked_or_knew_nothing(self) -> None:
        nothing = replace(self.retrieval("causes"), hits=(hit(1, note=1),))

        assert graph_to_wire(self.retrieval("causes"), self.routing(has_graph=False), str) is None
        assert graph_to_wire(nothing, self.routing(has_graph=True), str) is None
        assert graph_to_wire(None, self.routing(has_graph=True), str) is None


class TestPersonalData:
    def test_is_hidden_in_passages_and_titles_as_in_answers(self, server: str, template: str) -> None:
        with served_notes(server, template, notes=[BADGE]) as client:
            answer = client.post(PATH, json={"query": "Wie ist Frau Weber zu erreichen?"})

        assert "Weber" in answer.json()["results"][0]["content"]
        assert [number for number in BADGE_NUMBERS if number in answer.text] == []

    def test_stays_where_the_settings_say_so(self, server: str, template: str) -> None:
        with served_notes(server, template, notes=[BADGE], guardrails_personal_data="warn") as client:
            answer = client.post(PATH, json={"query": "Wie ist Frau Weber zu erreichen?"})

        assert [number for number in BADGE_NUMBERS if number not in answer.text] == []

    def test_is_hidden_in_what_the_graph_adds(self) -> None:
        told = graph_to_wire(
            TestTheGraphsPart().retrieval("causes"), TestTheGraphsPart().routing(has_graph=True), lambda _name: "‹›"
        )

        assert told is not None
        assert {entity["name"] for entity in told["entities"]} == {"‹›"}
        assert "Stress" not in str([told["relationships"], told["summary"]])
