"""Lines of golden queries in the words of either vocabulary, and groups for reports on both."""

import json
from io import BytesIO
from typing import Any
from uuid import UUID

import pytest

from rag_core.errors import InvalidInputError
from rag_core.evaluation.golden.files import read_golden_file
from rag_core.evaluation.golden.line import GoldenLine, parse_golden_line
from rag_core.evaluation.golden.query import GivenRelevance, GivenSpan
from rag_core.model.golden import (
    ALL_CATEGORIES,
    CATEGORIES,
    JOINT_GROUPS,
    difficulty_word,
    joint_difficulty,
    joint_group,
)

LINE = {"query": "¿Quién riega?", "relevant_ids": ["n1"]}


def parsed(**fields: Any) -> GoldenLine:
    return parse_golden_line(json.dumps(LINE | fields))


class TestVocabulary:
    @pytest.mark.parametrize(
        ("fields", "vocabulary", "difficulty"),
        [
            ({}, None, 3),
            ({"category": "factual"}, None, 3),
            ({"category": "comparative", "difficulty": 3}, "brain_sync", 3),
            ({"category": "comparative", "difficulty": "medium"}, "rag_v2", 3),
            ({"difficulty": "easy"}, "rag_v2", 1),
            ({"difficulty": "hard"}, "rag_v2", 5),
            ({"category": "multi_hop"}, "rag_v2", 3),
            ({"category": "multi-part"}, "brain_sync", 3),
            ({"category": "causal", "difficulty": 5}, "brain_sync", 5),
        ],
    )
    def test_category_and_difficulty_tell_the_vocabulary(
        self, fields: dict[str, Any], vocabulary: str | None, difficulty: int
    ) -> None:
        line = parsed(**fields)

        assert (line.vocabulary, line.difficulty) == (vocabulary, difficulty)

    @pytest.mark.parametrize(
        "fields", [{"category": "causal", "difficulty": "easy"}, {"category": "multi_hop", "difficulty": 3}]
    )
    def test_a_line_in_the_words_of_both_is_refused(self, fields: dict[str, Any]) -> None:
        with pytest.raises(InvalidInputError, match="use the words of one vocabulary"):
            parsed(**fields)

    @pytest.mark.parametrize("difficulty", ["Easy", "leicht", "3", 0, 6, True, 2.0])
    def test_what_is_no_difficulty_is_refused(self, difficulty: object) -> None:
        with pytest.raises(InvalidInputError, match="difficulty is"):
            parsed(difficulty=difficulty)


class TestFields:
    def test_a_line_has_every_field_in_the_names_of_either_api(self) -> None:
        line = parse_golden_line(
            json.dumps(
                {
                    "query": "Wer gießt?",
                    "relevantDocumentIds": ["n1", "n1"],
                    "relevantChunkIds": ["00000000-0000-4000-8000-000000000001"],
                    "relevance": [{"noteId": "n2", "grade": 3, "spans": [{"quote": "Ferrer"}, {"start": 1, "end": 4}]}],
                    "expectedAnswer": "Ferrer",
                    "category": "procedural",
                    "difficulty": "easy",
                    "keyFacts": ["30 Tage", "30 Tage"],
                    "forbiddenContent": ["130 Tage"],
                    "createdBy": "template:causal",
                    "verifiedBy": "Lucía",
                    "lastUpdated": "2025-03-01T09:00:00+01:00",
                }
            )
        )

        assert line.relevance == (
            GivenRelevance(note="n1"),
            GivenRelevance(note="n2", grade=3, spans=(GivenSpan(quote="Ferrer"), GivenSpan(start=1, end=4))),
        )
        assert line.chunk_ids == (UUID("00000000-0000-4000-8000-000000000001"),)
        assert (line.key_facts, line.forbidden_content) == (("30 Tage",), ("130 Tage",))
        assert (line.created_by, line.verified_by, line.verified_at) == ("template:causal", "Lucía", None)
        assert line.updated_at is not None
        assert line.updated_at.isoformat() == "2025-03-01T08:00:00+00:00"

    @pytest.mark.parametrize(
        ("fields", "reason"),
        [
            ({"relevantIds": ["n2"]}, "relevant_ids is given twice"),
            ({"relevance": [{"id": "n1", "grade": 4}]}, "grade is 4"),
            ({"relevance": [{"id": "n1", "grade": True}]}, "grade is True"),
            ({"relevance": [{"grade": 1}]}, "expected texts, each naming a note"),
            ({"relevance": [{"id": "n1", "spans": [{"from": 1}]}]}, "unknown field 'from' in spans"),
            ({"relevance": [{"id": "n1", "spans": [{"start": "1", "end": 2}]}]}, "start of a span is '1'"),
            ({"relevance": {"id": "n1"}}, "relevance is"),
            ({"relevant_chunk_ids": ["c1"]}, "expected ids of chunks"),
            ({"key_facts": "30 días"}, "key_facts is '30 días'"),
            ({"forbidden_content": [" "]}, "a phrase of forbidden_content is empty"),
            ({"verified_at": "2025-03-01"}, "verified_at stands without verified_by"),
            ({"verified_by": " "}, "verified_by is empty"),
            ({"relevant_ids": [], "relevance": []}, "relevant_ids is empty"),
        ],
    )
    def test_a_field_that_cannot_be_taken_is_named(self, fields: dict[str, Any], reason: str) -> None:
        with pytest.raises(InvalidInputError, match=reason):
            parsed(**fields)


class TestFiles:
    def test_lines_an_array_and_a_document_say_the_same(self) -> None:
        lines = b'\xef\xbb\xbf\n{"query": "a"}\n{"query": "b"}\n'
        array = b'\n [{"query": "a"},\n {"query": "b"}]'
        document = json.dumps(
            {"set": "s", "vocabulary": "rag_v2", "queries": [{"query": "a"}, {"query": "b"}]}, indent=1
        )
        files = [read_golden_file(BytesIO(content)) for content in (lines, array, document.encode())]

        assert [[json.loads(line) for line in file.lines if line.strip(b"\xef\xbb\xbf\n")] for file in files] == [
            [{"query": "a"}, {"query": "b"}]
        ] * 3
        assert [(file.set_name, file.vocabulary) for file in files] == [(None, None), (None, None), ("s", "rag_v2")]

    def test_a_document_on_one_line_is_no_line(self) -> None:
        file = read_golden_file(BytesIO(b'{"set": "s", "queries": [{"query": "a"}]}\n'))

        assert [json.loads(line) for line in file.lines] == [{"query": "a"}]

    def test_a_broken_first_line_costs_that_line_only(self) -> None:
        file = read_golden_file(BytesIO(b'{"query": \n{"query": "b"}\n'))

        assert list(file.lines) == [b'{"query": \n', b'{"query": "b"}\n']

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b'[{"query": "a"},]', "not valid JSON"),
            (b'{"queries": [], "sets": 1}', "unknown field 'sets'"),
            (b'{"queries": [], "vocabulary": "otro"}', "vocabulary is 'otro'"),
            (b'{"queries": [], "set": 7}', "set is 7"),
        ],
    )
    def test_what_is_no_document_is_refused(self, content: bytes, reason: str) -> None:
        with pytest.raises(InvalidInputError, match=reason):
            read_golden_file(BytesIO(content))

    def test_an_empty_file_has_no_line(self) -> None:
        assert list(read_golden_file(BytesIO(b"")).lines) == []


class TestJointReports:
    def test_every_category_of_both_vocabularies_has_one_group(self) -> None:
        groups = {category: joint_group(category) for category in ALL_CATEGORIES}

        assert set(groups) == set(CATEGORIES["brain_sync"]) | set(CATEGORIES["rag_v2"])
        assert set(groups.values()) == set(JOINT_GROUPS)
        assert (groups["multi-part"], groups["multi_hop"]) == ("multi-step", "multi-step")
        assert (groups["causal"], groups["relational"]) == ("relations", "relations")

    def test_difficulties_of_both_vocabularies_are_one_of_three_words(self) -> None:
        assert [joint_difficulty(number) for number in (1, 2, 3, 4, 5)] == ["easy", "easy", "medium", "hard", "hard"]
        assert [difficulty_word(number) for number in (1, 3, 5)] == ["easy", "medium", "hard"]
