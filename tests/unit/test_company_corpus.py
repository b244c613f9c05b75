"""The German company documents and the golden set of RAG V2 over them hold together."""

import json
import unicodedata
from collections import Counter
from pathlib import Path
from statistics import mean

import pytest

from rag_core.evaluation.golden.line import GoldenLine, parse_golden_line
from rag_core.evaluation.runs.lexical import says
from rag_core.folders.front_matter import split_front_matter
from rag_core.language.content_words import tokens_of
from rag_core.language.languages import language_of
from rag_core.model.golden import Category

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FILES = {path.name: split_front_matter(path.read_text("utf-8")) for path in (EXAMPLES / "unternehmen").glob("*.md")}
TEXTS = {name: front.body for name, front in FILES.items()}
LINES = (EXAMPLES / "golden_v2.jsonl").read_text("utf-8").splitlines()
QUERIES = [parse_golden_line(line) for line in LINES]
ANSWERABLE = [query for query in QUERIES if query.is_answerable]
MINIMUM: dict[Category, int] = {
    "factual": 20,
    "comparative": 10,
    "procedural": 15,
    "relational": 15,
    "aggregative": 10,
    "multi_hop": 15,
}
APPENDIX_B = {
    "Was ist die maximale Dateigröße für Uploads?": "factual",
    "Vergleiche die Urlaubsregelungen für Vollzeit- und Teilzeitkräfte": "comparative",
    "Wie beantrage ich Homeoffice?": "procedural",
    "Wer ist der Abteilungsleiter von Marketing?": "relational",
    "Liste alle aktiven Projekte im Q1 2026": "aggregative",
    "Welche Compliance-Anforderungen gelten für das Projekt, das Max Mustermann leitet?": "multi_hop",
}


def quotes(query: GoldenLine) -> list[tuple[str, str]]:
    """Names of documents with what is quoted from them."""
    return [(str(one.note), span.quote or "") for one in query.relevance for span in one.spans or ()]


def shared(query: str, names: list[str]) -> float:
    """The share of a question's stems, function words aside, that occur in its documents."""
    silent = language_of("de").stop_words.function_words
    wanted = set(tokens_of(query, "de")) - set(tokens_of(" ".join(silent), "de"))
    known = set().union(*(tokens_of(f"{FILES[name].fields['title']} {TEXTS[name]}", "de") for name in names))
    return len(wanted & known) / len(wanted)


def test_documents_have_a_title_a_date_tags_and_a_length_as_in_companies() -> None:
    lengths = [len(text.split()) for text in TEXTS.values()]

    assert len(TEXTS) >= 30
    assert [name for name, front in FILES.items() if not {"title", "date", "tags"} <= set(front.fields)] == []
    assert min(lengths) >= 250
    assert max(lengths) <= 700
    assert all(unicodedata.is_normalized("NFC", text) for text in TEXTS.values())


def test_every_category_of_the_contract_has_its_number_of_answerable_questions() -> None:
    counts = Counter(query.category for query in ANSWERABLE)

    assert set(counts) == set(MINIMUM)
    assert [category for category, least in MINIMUM.items() if counts[category] < least] == []
    assert len(QUERIES) - len(ANSWERABLE) >= 8
    assert {query.vocabulary for query in QUERIES} == {"rag_v2"}


@pytest.mark.parametrize(("query", "category"), APPENDIX_B.items())
def test_questions_of_appendix_b_are_among_them(query: str, category: str) -> None:
    assert [one.category for one in ANSWERABLE if one.query == query] == [category]


def test_no_question_and_no_id_stands_twice() -> None:
    names = [" ".join(unicodedata.normalize("NFC", query.query).casefold().split()) for query in QUERIES]

    assert len(set(names)) == len({query.external_id for query in QUERIES}) == len(QUERIES)


def test_relevant_documents_are_shipped_and_each_is_quoted() -> None:
    assert {one.note for query in QUERIES for one in query.relevance} <= set(TEXTS)
    for line in map(json.loads, LINES):
        assert line.get("relevant_ids", []) == [one["id"] for one in line.get("relevance", [])]
        assert all(one["spans"] for one in line.get("relevance", []))


def test_every_quote_stands_in_its_document_exactly_once_and_is_a_passage() -> None:
    found = [(name, quote) for query in QUERIES for name, quote in quotes(query)]

    assert [(name, quote) for name, quote in found if TEXTS[name].count(quote) != 1] == []
    assert max(len(quote) for _, quote in found) <= 400


def test_key_facts_are_said_by_the_answer_or_the_quotes() -> None:
    said = {
        query.query: " ".join([query.expected_answer, *(quote for _, quote in quotes(query))]) for query in ANSWERABLE
    }

    assert all(query.expected_answer and query.key_facts for query in ANSWERABLE)
    assert [
        (query.query, fact)
        for query in ANSWERABLE
        for fact in query.key_facts
        if not says(said[query.query], fact, "de")
    ] == []


def test_multi_hop_questions_mostly_need_several_documents() -> None:
    hops = [len({name for name, _ in quotes(query)}) for query in ANSWERABLE if query.category == "multi_hop"]

    assert sum(count >= 2 for count in hops) >= MINIMUM["multi_hop"]


def test_questions_are_worded_differently_from_their_documents() -> None:
    shares = [shared(query.query, [str(one.note) for one in query.relevance]) for query in ANSWERABLE]

    assert mean(shares) <= 0.6
    assert sum(share <= 0.5 for share in shares) >= 30
    assert shared(TEXTS["organigramm.md"][:200], ["organigramm.md"]) > 0.9
