"""Relations between names: what states one, what comes near, and which triples there may be."""

import json
import time
from pathlib import Path

import pytest

from rag_core.chunking import sentence_spans
from rag_core.graph.edges import MAX_EDGES, read_edges, triple_problem
from rag_core.graph.mentions import read_mentions
from rag_core.language import LANGUAGES
from rag_core.model.entity import EdgeKind, NamedMention
from rag_core.model.note import Language

LABELLED = Path(__file__).parents[1] / "data/entities/relations.jsonl"
ROWS = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
Edge = tuple[str, str, str]


def mention(start: int, end: int, kind: str, text: str, confidence: float = 1) -> NamedMention:
    return NamedMention(span=(start, end), kind=kind, name=text[start:end], confidence=confidence, method="list")  # type: ignore[arg-type]


def stated(text: str, language: Language, mentions: list[NamedMention]) -> set[Edge]:
    edges = read_edges(text, language, sentence_spans(text, language), mentions)
    return {(text[slice(*one.source.span)], one.kind, text[slice(*one.target.span)]) for one in edges}


def marked(row: dict) -> set[Edge]:
    return stated(row["text"], row["language"], [mention(*one, row["text"]) for one in row["mentions"]])


@pytest.mark.parametrize("language", LANGUAGES)
def test_labelled_sentences_are_read_with_a_precision_and_a_recall_of_95_percent(language: Language) -> None:
    rows = [row for row in ROWS if row["language"] == language]
    found = [(row["id"], *edge) for row in rows for edge in marked(row)]
    labelled = [(row["id"], *edge) for row in rows for edge in row["edges"]]

    right = len(set(found) & set(labelled))

    assert right / len(found) >= 0.95
    assert right / len(labelled) >= 0.95


def test_evidence_is_the_sentence_as_it_stands_in_the_note() -> None:
    text = "Llueve. Ana Ferrer trabaja en Renfe. Fin."
    [mentions] = read_mentions([(text, "es")], known={})

    [edge] = read_edges(text, "es", sentence_spans(text, "es"), mentions)

    assert text[slice(*edge.evidence)] == "Ana Ferrer trabaja en Renfe."
    assert (edge.kind, edge.source.name, edge.target.name) == ("WORKS_FOR", "Ana Ferrer", "Renfe")


def test_an_edge_between_doubtful_names_is_not_told() -> None:
    text = "Ana trabaja en Lumbre."
    mentions = [mention(0, 3, "PERSON", text, 0.6), mention(15, 21, "ORG", text, 0.65)]

    assert stated(text, "es", mentions) == set()


@pytest.mark.parametrize(
    ("source", "kind", "target", "confidence", "problem"),
    [
        (("PERSON", "ana"), "WORKS_FOR", ("ORG", "lumbre"), 0.5, None),
        (("PERSON", " "), "WORKS_FOR", ("ORG", "lumbre"), 0.9, "Subject cannot be empty"),
        (("PERSON", "ana"), "WORKS_FOR", ("ORG", ""), 0.9, "Object cannot be empty"),
        (("PERSON", "ana"), "WORKS_FOR", ("PROJECT", "mirlo"), 0.9, "Invalid predicate type"),
        (("PERSON", "ana"), "KNOWS", ("ORG", "lumbre"), 0.9, "Invalid predicate type"),
        (("PERSON", "ana"), "WORKS_FOR", ("ORG", "lumbre"), 0.49, "Triple confidence too low"),
        (("ORG", "lumbre"), "PART_OF", ("ORG", "lumbre"), 0.9, "Subject is the object"),
    ],
)
def test_a_triple_is_of_known_types_sure_enough_and_joins_two_things(
    source, kind: EdgeKind, target, confidence: float, problem: str | None
) -> None:
    assert triple_problem(source, kind, target, confidence) == problem


def test_a_note_of_many_relations_is_bounded() -> None:
    text = " ".join(["Ana, Ana, Ana, Ana y Ana trabajan con Luis, Luis, Luis y Luis."] * 300 + ["Ana, " * 5_000])
    found = [mention(at, at + 3, "PERSON", text) for at in range(len(text)) if text.startswith("Ana", at)]
    others = [mention(at, at + 4, "PERSON", text) for at in range(len(text)) if text.startswith("Luis", at)]
    sentences, began = sentence_spans(text, "es"), time.process_time()

    edges = read_edges(text, "es", sentences, sorted([*found, *others], key=lambda one: one.span))

    assert len(edges) == MAX_EDGES
    assert time.process_time() - began < 2
