"""The demo corpus is what its README says, and its questions are not its notes' words."""

import json
import re
import unicodedata
from collections import Counter
from datetime import datetime
from pathlib import Path
from statistics import mean

import pytest
import Stemmer

from rag_core.evaluation.runs.lexical import says
from rag_core.language.languages import language_of

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
WORD = re.compile(r"\w+")
STEMMER = Stemmer.Stemmer("spanish")


def read(name: str) -> list[dict]:
    return [json.loads(line) for line in (EXAMPLES / name).read_text(encoding="utf-8").splitlines()]


NOTES = {note["id"]: note for note in read("notes.jsonl")}
GOLDEN = read("golden.jsonl")


def stems(text: str) -> set[str]:
    return {
        STEMMER.stemWord(word)
        for word in WORD.findall(text.lower())
        if word not in language_of("es").stop_words.function_words
    }


def quotes(entry: dict) -> list[tuple[str, str]]:
    """The notes' names and what is quoted from them."""
    return [(one["id"], span["quote"]) for one in entry["relevance"] for span in one["spans"]]


def shared(entry: dict) -> float:
    """The share of the query's stems that occur in its relevant notes."""
    known = set().union(*(stems(f"{NOTES[i].get('title', '')} {NOTES[i]['text']}") for i in entry["relevant_ids"]))
    wanted = stems(entry["query"])
    return len(wanted & known) / len(wanted)


def test_there_are_enough_notes_of_every_length_over_two_years() -> None:
    lengths = [len(note["text"].split()) for note in NOTES.values()]
    dates = sorted(datetime.fromisoformat(note["created_at"]) for note in NOTES.values())

    assert len(NOTES) >= 150
    assert min(lengths) >= 60
    assert max(lengths) <= 1500
    assert sum(length > 400 for length in lengths) >= 15
    assert (dates[-1] - dates[0]).days >= 700
    assert all(unicodedata.is_normalized("NFC", note["text"]) for note in NOTES.values())


def test_the_golden_set_covers_the_five_categories() -> None:
    counts = Counter(entry["category"] for entry in GOLDEN)

    assert len(GOLDEN) >= 60
    assert set(counts) == {"factual", "causal", "temporal", "comparative", "multi-part"}
    assert min(counts.values()) >= 10
    assert all(entry["answer"] and 1 <= entry["difficulty"] <= 5 for entry in GOLDEN)


@pytest.mark.property(31)
def test_every_relevant_note_exists() -> None:
    assert [i for entry in GOLDEN for i in entry["relevant_ids"] if i not in NOTES] == []


def test_relevance_names_the_relevant_notes_and_quotes_each_of_them() -> None:
    assert all([one["id"] for one in entry["relevance"]] == entry["relevant_ids"] for entry in GOLDEN)
    assert all(one["spans"] for entry in GOLDEN for one in entry["relevance"])


def test_every_quote_stands_in_its_note_exactly_once() -> None:
    assert [quote for entry in GOLDEN for note, quote in quotes(entry) if NOTES[note]["text"].count(quote) != 1] == []


def test_quotes_are_passages_and_not_whole_notes() -> None:
    found = [(quote, NOTES[note]["text"]) for entry in GOLDEN for note, quote in quotes(entry)]

    assert max(len(quote) for quote, _ in found) <= 400
    assert max(len(quote) / len(text) for quote, text in found) <= 0.5


def test_key_facts_are_few_and_said_by_the_answer_or_the_quotes() -> None:
    said = {entry["id"]: " ".join([entry["answer"], *(quote for _, quote in quotes(entry))]) for entry in GOLDEN}

    assert all(1 <= len(entry["key_facts"]) <= 4 for entry in GOLDEN)
    assert [fact for entry in GOLDEN for fact in entry["key_facts"] if not says(said[entry["id"]], fact, "es")] == []


@pytest.mark.property(32)
def test_no_query_stands_twice() -> None:
    queries = [" ".join(unicodedata.normalize("NFC", entry["query"]).casefold().split()) for entry in GOLDEN]

    assert len(queries) == len(set(queries))


def test_queries_are_worded_differently_from_their_notes() -> None:
    assert mean(shared(entry) for entry in GOLDEN) <= 0.6


def test_the_measure_of_wording_sees_a_copied_query() -> None:
    note = next(iter(NOTES.values()))
    copied = {"query": note["text"][:200], "relevant_ids": [note["id"]]}

    assert shared(copied) > 0.9
