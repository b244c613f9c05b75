"""Vocabularies of golden sets, verified queries and the sets themselves."""

import threading

import pytest
from golden_sets import as_lines, version
from relevant_passages import COMPLETE, FERRER
from relevant_passages import asked as asked  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.errors import ConflictError, InvalidInputError, NotFoundError
from rag_core.evaluation.golden.edits import (
    add_golden_query,
    delete_golden_query,
    list_golden_queries,
    update_golden_query,
    verify_golden_query,
)
from rag_core.evaluation.golden.exporting import export_document
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.golden.statistics import fetch_set_contents
from rag_core.model.note import TenantId
from rag_core.storage.golden import list_golden_sets
from rag_core.storage.notes import delete_notes


class TestVocabulary:
    def test_a_new_set_speaks_the_vocabulary_of_its_first_good_line(self, database, tenant, make_note) -> None:
        make_note(FERRER)
        lines = as_lines(
            {"query": "cero", "relevant_ids": ["no-existe"], "category": "causal"},
            {"query": "uno", "relevant_ids": ["n1"], "category": "multi_hop", "difficulty": "hard"},
            {"query": "dos", "relevant_ids": ["n1"], "category": "factual"},
            {"query": "tres", "relevant_ids": ["n1"], "category": "causal"},
            {"query": "cuatro", "relevant_ids": ["n1"], "category": "factual", "difficulty": 2},
        )

        report = import_golden(database, tenant, lines, set_name="rv")

        stored = {
            query.query: (query.vocabulary, query.difficulty)
            for query in list_golden_queries(database, tenant, set_name="rv")
        }
        assert stored == {"uno": ("rag_v2", 5), "dos": ("rag_v2", 3)}
        reasons = dict(report.rejected)
        assert list(reasons) == [1, 4, 5]
        assert "category is 'causal'; expected one of factual, comparative, procedural" in reasons[4]
        assert "difficulty is a number; expected easy, medium or hard" in reasons[5]
        assert "into a set of their own with --set" in reasons[4]

    def test_a_set_with_queries_keeps_its_vocabulary_and_an_empty_one_takes_another(
        self, database, tenant, asked
    ) -> None:
        line = as_lines({"query": "uno", "relevant_ids": ["n1"]})

        with pytest.raises(InvalidInputError, match="has queries in the words of brain_sync"):
            import_golden(database, tenant, line, vocabulary="rag_v2")
        delete_golden_query(database, tenant, asked.id)
        import_golden(database, tenant, line, vocabulary="rag_v2")

        assert [query.vocabulary for query in list_golden_queries(database, tenant)] == ["rag_v2"]

    def test_one_query_is_added_in_the_words_of_its_set(self, database, tenant, make_note) -> None:
        note = make_note(FERRER)
        fields = {"relevant_note_ids": [note], "expected_answer": "Ferrer", "set_name": "rv"}

        first = add_golden_query(database, tenant, query="uno", category="multi_hop", difficulty="easy", **fields)
        second = add_golden_query(database, tenant, query="dos", category="factual", difficulty=5, **fields)
        with pytest.raises(InvalidInputError, match="category is 'causal'"):
            add_golden_query(database, tenant, query="tres", category="causal", difficulty=5, **fields)
        with pytest.raises(InvalidInputError, match="easy, medium and hard, which are 1, 3 and 5"):
            update_golden_query(database, tenant, second.id, difficulty=2)

        assert [(one.vocabulary, one.difficulty) for one in (first, second)] == [("rag_v2", 1), ("rag_v2", 5)]

    def test_two_imports_at_once_into_a_set_that_is_not_there_follow_each_other(
        self, database, tenant, make_note
    ) -> None:
        make_note(FERRER)
        lines = as_lines(*({"query": f"consulta {number}", "relevant_ids": ["n1"]} for number in range(200)))
        reports = []

        def run() -> None:
            reports.append(import_golden(database, tenant, lines, set_name="nuevo"))

        threads = [threading.Thread(target=run) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert [report.imported for report in reports] == [200, 200, 200]
        assert sorted(report.changed for report in reports) == [0, 0, 200]
        assert version(database, tenant, "nuevo") == 1


class TestVerification:
    def test_it_is_noted_with_its_time_and_makes_the_version_grow(self, database, tenant, asked) -> None:
        before = version(database, tenant)

        verified = verify_golden_query(database, tenant, asked.id, by="Lucía")

        assert list_golden_queries(database, tenant) == [verified]
        assert verified.verified_by == "Lucía"
        assert verified.verified_at == verified.updated_at
        assert version(database, tenant) == before + 1

    @pytest.mark.parametrize(
        ("change", "is_kept"),
        [
            ({"tags": ["huerto"], "category": "causal", "difficulty": 5}, True),
            ({"query": "¿Quién riega los tomates?"}, False),
            ({"expected_answer": "Ferrer"}, False),
            ({"key_facts": []}, False),
            ({"forbidden_content": []}, False),
            ({"expected_answer": "Ferrer", "verified_by": "Lucía"}, True),
        ],
    )
    def test_another_question_or_answer_takes_it_away(self, database, tenant, asked, change, is_kept) -> None:
        verify_golden_query(database, tenant, asked.id, by="Lucía")

        changed = update_golden_query(database, tenant, asked.id, **change)

        assert (changed.verified_by == "Lucía") == is_kept
        assert (changed.verified_at is not None) == is_kept

    def test_a_line_that_says_the_same_keeps_it_and_another_relevance_takes_it_away(
        self, database, tenant, make_note
    ) -> None:
        make_note(FERRER)
        make_note("La vecina mira.")
        line = {"query": "uno", "relevant_ids": ["n1"]}
        import_golden(database, tenant, as_lines(line | {"verified_by": "Lucía", "verified_at": "2025-03-01"}))

        kept = import_golden(database, tenant, as_lines(line))
        (same,) = list_golden_queries(database, tenant)
        import_golden(database, tenant, as_lines(line | {"relevant_ids": ["n1", "n2"]}))
        (changed,) = list_golden_queries(database, tenant)

        assert kept.changed == 0
        assert same.verified_by == "Lucía"
        assert changed.verified_by is None
        assert changed.verified_at is None

    def test_a_nameless_or_unknown_one_is_refused(self, database, tenant, asked) -> None:
        with pytest.raises(InvalidInputError, match="verified_by is empty"):
            verify_golden_query(database, tenant, asked.id, by=" ")
        with pytest.raises(NotFoundError, match="no golden query"):
            verify_golden_query(database, TenantId("otra"), asked.id, by="Lucía")


class TestSets:
    def test_statistics_and_coverage_count_what_can_be_asked(self, database, tenant, make_note) -> None:
        make_note(FERRER)
        gone = make_note("Se borra.")
        lines = as_lines(
            {"query": "uno", "relevance": [{"id": "n1", "spans": [{"quote": "al alba"}]}], "difficulty": "easy"},
            {
                "query": "dos",
                "relevant_ids": ["n1", "n2"],
                "difficulty": "easy",
                "answer": "Sí",
                "verified_by": "Lucía",
            },
            {"query": "tres", "relevant_ids": ["n1"], "category": "multi_hop", "difficulty": "hard"},
            {
                "query": "cuatro",
                "relevant_ids": ["n2"],
                "category": "multi_hop",
                "difficulty": "hard",
                "verified_by": "Lucía",
            },
        )
        import_golden(database, tenant, lines, set_name="rv")
        with database.transaction(tenant) as connection:
            delete_notes(connection, tenant, [gone])
            (summary,) = list_golden_sets(connection, tenant)

        found = fetch_set_contents(database, tenant, set_name="rv").statistics()

        assert found.total_queries == 4
        assert found.without_notes == 1
        assert found.verified == 1
        assert found.with_spans == 1
        assert found.retrieval_only == 2
        assert found.lost_spans == 0
        assert found.by_category == {
            "factual": 2, "comparative": 0, "procedural": 0, "relational": 0, "aggregative": 0, "multi_hop": 1,
        }  # fmt: skip
        assert found.by_difficulty == {"easy": 2, "medium": 0, "hard": 1}
        assert found.avg_relevant_notes == 1.0
        assert found.avg_relevant_chunks == pytest.approx(1 / 3)
        assert {one.category: (one.minimum, one.missing) for one in found.coverage} == {
            "factual": (20, 18),
            "comparative": (10, 10),
            "procedural": (15, 15),
            "relational": (15, 15),
            "aggregative": (10, 10),
            "multi_hop": (15, 14),
        }
        assert found.minimum == 85
        assert found.missing == 82
        assert summary.queries == 4
        assert summary.askable == 3
        assert summary.verified == 1
        assert summary.with_spans == 1

    def test_a_set_of_brain_sync_lacks_up_to_fifty_in_all(self, database, tenant, asked) -> None:
        found = fetch_set_contents(database, tenant).statistics()

        assert [one.minimum for one in found.coverage] == [None] * 5
        assert found.minimum == 50
        assert found.missing == 49
        assert found.by_difficulty == {"1": 0, "2": 1, "3": 0, "4": 0, "5": 0}

    def test_an_empty_set_has_no_means(self, database, tenant) -> None:
        found = fetch_set_contents(database, tenant).statistics()

        assert found.total_queries == 0
        assert found.avg_relevant_notes is None
        assert found.avg_relevant_chunks is None
        with pytest.raises(NotFoundError, match="no golden set"):
            fetch_set_contents(database, tenant, set_name="nadie")

    def test_a_document_says_name_vocabulary_and_version(self, database, tenant, asked) -> None:
        document = export_document(database, tenant)

        assert document["set"] == "default"
        assert document["vocabulary"] == "brain_sync"
        assert document["version"] == 1
        assert document["queries"][0]["relevance"] == [
            {"id": "n1", "grade": 3, "spans": [{"start": 3, "end": 15, "quote": "señor Ferrer"}]}
        ]
        assert export_document(database, TenantId("nadie"))["queries"] == []

    def test_the_same_question_is_a_conflict_within_a_set_only(self, database, tenant, asked) -> None:
        given = COMPLETE | {"query": "¿QUIÉN riega?", "relevant_note_ids": asked.relevant_note_ids}

        with pytest.raises(ConflictError):
            add_golden_query(database, tenant, **given)
        added = add_golden_query(database, tenant, set_name="otro", **given)

        with pytest.raises(NotFoundError):
            delete_golden_query(database, tenant, added.id, within=asked.id)
