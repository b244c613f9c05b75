"""Measures of a run beside rankings, on a real database: grades, passages, confidence, answers, stages; and the way it asks."""

import json
import threading
import time
from dataclasses import replace
from uuid import UUID, uuid4

import psycopg
import pytest
from quoted_answers import QuotedAnswers
from ranked_runs import found, hit, run_of, searching, strangers

from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG, configure
from rag_core.errors import EvaluationCancelledError, InvalidInputError, NotFoundError, RetrievalFailedError
from rag_core.evaluation.comparison.stored import compare_stored_runs
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.runs.results import extra_metrics, metrics_by
from rag_core.evaluation.runs.run import fetch_evaluation
from rag_core.evaluation.runs.run_json import to_json
from rag_core.evaluation.runs.served import evaluated_search
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Retrieval
from rag_core.storage.database import Database
from rag_core.storage.evaluations import list_runs
from rag_core.storage.notes import delete_notes


def load(database: Database, tenant: TenantId, *lines: dict[str, object]) -> None:
    report = import_golden(database, tenant, [json.dumps(line).encode() for line in lines])
    assert report.rejected == []


def stored(database: Database, tenant: TenantId, run_id: UUID):
    with database.transaction(tenant) as connection:
        return fetch_evaluation(connection, tenant, run_id)


@pytest.fixture
def notes(make_note) -> list[UUID]:
    return [make_note(f"Nota número {number}.", external_id=f"n{number}") for number in range(1, 5)]


@pytest.fixture
def golden(database, tenant, notes) -> None:
    load(
        database,
        tenant,
        *(
            {"query": f"q{number}", "relevant_ids": [f"n{number}"], "difficulty": difficulty, "category": category}
            for number, (difficulty, category) in enumerate(
                [(1, "factual"), (2, "multi-part"), (3, "causal"), (5, "causal")], 1
            )
        ),
    )


def passages(query: str, *texts: tuple[UUID, str]) -> Retrieval:
    """Hits that are whole windows of their notes."""
    hits = [
        replace(hit(note), content=text, expanded_content=text, bounds=(0, len(text)), matched_spans=((0, len(text)),))
        for note, text in texts
    ]
    return replace(found(query, []), hits=tuple(hits))


class TestGrades:
    def test_ndcg_gains_by_grade_and_the_grades_are_kept(self, database, tenant, notes) -> None:
        n1, n2, *_ = notes
        load(
            database,
            tenant,
            {
                "query": "q",
                "relevant_ids": ["n1", "n2"],
                "relevance": [{"id": "n1", "grade": 3}, {"id": "n2", "grade": 1}],
            },
        )

        run = run_of(database, tenant, searching({"q": [n2, n1]}))

        # gains 1 and 3 where 3 and 1 would be ideal, the second divided by log2(3), which is 1.58496
        assert run.metrics.ndcg_at_10 == pytest.approx(2.8927893 / 3.6309298, abs=1e-6)
        (result,) = stored(database, tenant, run.run_id).queries
        assert dict(result.grades) == {n1: 3}
        assert result.ndcg_at_10 == run.metrics.ndcg_at_10


class TestPassages:
    def test_a_run_says_how_far_a_reader_reads(self, database, tenant, make_note) -> None:
        text = "Introducción. " * 10 + "La reunión es el martes."
        note = make_note(text, external_id="larga")
        load(database, tenant, {"query": "q", "relevant_ids": ["larga"], "answer": "el martes"})
        other = uuid4()

        run = run_of(database, tenant, lambda query: passages(query, (other, "x" * 500), (note, text)))

        # read 500, then to the end of "el martes", one character before the end of 164
        (result,) = run.queries
        assert result.u_measure == pytest.approx(1 - (500 + 163) / 10_000)
        assert result.first_passage_rank == 2
        assert {
            name: run.extra[name] for name in ("passage_hit_rate_at_1", "passage_hit_rate_at_3", "passage_mrr")
        } == {
            "passage_hit_rate_at_1": 0.0,
            "passage_hit_rate_at_3": 1.0,
            "passage_mrr": 0.5,
        }
        assert stored(database, tenant, run.run_id).queries == run.queries

    def test_without_any_span_it_is_undefined_and_null(self, database, tenant, notes, golden) -> None:
        run = run_of(database, tenant, lambda query: found(query, []))

        metrics = to_json(run)["metrics"]

        assert [result.u_measure for result in run.queries] == [None] * 4
        assert (metrics["u_measure"], metrics["passage_mrr"], metrics["passage_hit_rate_at_10"]) == (None, None, None)

    def test_a_span_whose_quote_was_edited_away_is_counted(self, database, tenant, make_note) -> None:
        make_note("El código es 4711.", external_id="n1")
        load(
            database,
            tenant,
            {"query": "q", "relevant_ids": ["n1"], "relevance": [{"id": "n1", "spans": [{"quote": "4711"}]}]},
        )
        make_note("El código cambió.", external_id="n1")

        run = run_of(database, tenant, lambda query: found(query, []))

        assert (run.lost_spans, to_json(run)["lost_spans"]) == (1, 1)
        assert stored(database, tenant, run.run_id).lost_spans == 1


class TestConfidence:
    @pytest.fixture
    def indexed(self, engine, tenant, make_note, index_notes) -> None:
        make_note("El perro ladra en el jardín.", external_id="n1")
        make_note("La gata duerme en el sofá.", external_id="n2")
        index_notes()
        load(engine.database, tenant, {"query": "¿Dónde ladra el perro?", "relevant_ids": ["n1"]})

    @pytest.mark.parametrize(
        ("strategy", "threshold", "expected"),
        [
            ("semantic", 0.0, None),
            ("semantic", 0.99, False),
            ("semantic", 0.01, True),
            ("hybrid", 0.0, None),
            ("hybrid", 0.99, False),  # words find the note all the same
            ("hybrid+rerank", 0.99, False),
            ("fulltext", 0.99, None),
        ],
    )
    def test_it_says_whether_anything_reached_the_threshold(
        self, engine, tenant, indexed, strategy, threshold, expected
    ) -> None:
        config = configure({"hybridSearch": {"threshold": threshold}}, strategy=strategy)
        search = evaluated_search(engine, tenant, config=config, timeout_ms=30_000).search

        run = run_of(engine.database, tenant, search, config=config)

        (result,) = stored(engine.database, tenant, run.run_id).queries
        assert result.is_confident is expected
        assert run.extra["confidence_rate"] == (None if expected is None else float(expected))
        assert run.metrics.hit_rate_at[10] == 1.0

    def run_at(self, engine, tenant, threshold: float, **more):
        """A run of semantic search with this threshold over the questions there are."""
        config = configure({"hybridSearch": {"threshold": threshold}}, strategy="semantic")
        search = evaluated_search(engine, tenant, config=config, timeout_ms=30_000).search
        return run_of(engine.database, tenant, search, config=config, **more)

    def test_between_two_runs_without_a_threshold_it_is_not_compared(self, engine, tenant, indexed) -> None:
        first = self.run_at(engine, tenant, 0.0)

        second = self.run_at(engine, tenant, 0.0, baseline_run_id=first.run_id)

        assert "confidence" not in second.comparison.metrics

    def test_a_new_threshold_that_nothing_reaches_is_a_regression(self, engine, tenant, indexed) -> None:
        words = ("ladra", "corre", "duerme", "come", "bebe", "salta", "juega", "mira", "huele", "espera", "vuelve")
        load(
            engine.database,
            tenant,
            *({"query": f"¿Dónde {word} el perro?", "relevant_ids": ["n1"]} for word in words[1:]),
        )
        first = self.run_at(engine, tenant, 0.0)

        second = self.run_at(engine, tenant, 0.99, baseline_run_id=first.run_id)
        with engine.database.transaction(tenant) as connection:
            there_and_back = [
                compare_stored_runs(connection, tenant, *ids).comparison.metrics["confidence"]
                for ids in ((first.run_id, second.run_id), (second.run_id, first.run_id))
            ]

        assert (first.extra["confidence_rate"], second.extra["confidence_rate"]) == (None, 0.0)
        assert second.comparison.regressed == ("confidence",)
        assert [(one.baseline, one.current) for one in there_and_back] == [(1.0, 0.0), (0.0, 1.0)]


class TestStages:
    def test_latency_is_told_by_stage(self, database, tenant, notes, golden) -> None:
        milliseconds = iter([10.0, 20.0, 30.0])

        def search(query: str) -> Retrieval:
            if query == "q4":
                raise RetrievalFailedError("nada")
            stages = {"retrieval": next(milliseconds)} | ({"reranking": 5.0} if query == "q1" else {})
            return replace(found(query, []), stages=stages)

        run = run_of(database, tenant, search)

        told = to_json(stored(database, tenant, run.run_id))["latency_stages_ms"]
        assert told == {
            "retrieval": {"p50": 20.0, "p95": 30.0, "p99": 30.0},
            "reranking": {"p50": 5.0, "p95": 5.0, "p99": 5.0},
        }


class TestGroups:
    def test_queries_are_grouped_by_the_words_of_both_vocabularies(self, database, tenant, notes, golden) -> None:
        run = run_of(database, tenant, searching({f"q{n}": [note] for n, note in enumerate(notes, 1)} | {"q4": []}))

        def groups(name: str) -> dict[str, tuple[int, float]]:
            return {
                key: (group.total_queries, group.metrics.mrr) for key, group in metrics_by(name, run.queries).items()
            }

        assert groups("category") == {"factual": (1, 1.0), "causal": (2, 0.5), "multi-part": (1, 1.0)}
        assert groups("difficulty") == {"1": (1, 1.0), "2": (1, 1.0), "3": (1, 1.0), "5": (1, 0.0)}
        assert groups("joint_group")["multi-step"] == (1, 1.0)
        assert groups("joint_group")["relations"] == (2, 0.5)
        assert groups("joint_difficulty") == {"easy": (2, 1.0), "medium": (1, 1.0), "hard": (1, 0.0)}

    def test_a_category_of_the_other_vocabulary_is_refused_with_the_sets_own(
        self, database, tenant, notes, golden
    ) -> None:
        with pytest.raises(InvalidInputError, match="expected one of factual, causal, temporal"):
            run_of(database, tenant, searching({}), category="procedural")


class TestAnswers:
    def test_queries_with_an_expected_answer_are_answered(self, engine, tenant, make_note, index_notes) -> None:
        make_note("El perro se llama Rocky. Ladra mucho.", external_id="n1")
        index_notes()
        load(
            engine.database,
            tenant,
            {"query": "¿Cómo se llama el perro?", "relevant_ids": ["n1"], "answer": "Rocky", "key_facts": ["Rocky"]},
            {"query": "¿Quién ladra?", "relevant_ids": ["n1"]},
        )
        config = DEFAULT_RETRIEVAL_CONFIG

        run = run_of(
            engine.database,
            tenant,
            evaluated_search(engine, tenant, config=config, timeout_ms=30_000).search,
            config=config,
            answerer=QuotedAnswers(),
        )

        again = stored(engine.database, tenant, run.run_id)
        assert again.queries == run.queries
        answers = {result.query: result.answer for result in again.queries}
        assert answers["¿Quién ladra?"] is None
        assert "Rocky" in answers["¿Cómo se llama el perro?"].text
        assert answers["¿Cómo se llama el perro?"].scores["key_facts_covered"] == 1.0
        assert again.answers == run.answers
        assert (run.answers.answers, run.answers.judge) == (1, None)
        assert run.answers.judged_by == "quotations"  # no model judged: the notes and the expected answers did
        assert run.faithfulness == run.answers.means["citation_support"] == 1
        assert run.answer_relevance == run.answers.means["expected_answer_overlap"]
        assert to_json(run)["answers"]["means"]["lexical_groundedness"] is not None


class TestAsking:
    def test_several_are_asked_at_a_time_and_the_results_keep_their_order(
        self, database, tenant, notes, golden
    ) -> None:
        at_work, most, lock = 0, 0, threading.Lock()
        all_there = threading.Barrier(4, timeout=20)

        def search(query: str) -> Retrieval:
            nonlocal at_work, most
            with lock:
                at_work += 1
                most = max(most, at_work)
            all_there.wait()
            time.sleep(0.01 * (5 - int(query[1])))  # the first asked is the last done
            with lock:
                at_work -= 1
            return found(query, [notes[int(query[1]) - 1]])

        told: list[tuple[int, int]] = []
        run = run_of(
            database, tenant, search, concurrency=4, on_progress=lambda done, total: told.append((done, total))
        )

        assert most == 4
        one_by_one = run_of(database, tenant, lambda query: found(query, []))
        assert [result.query for result in run.queries] == [result.query for result in one_by_one.queries]
        assert run.metrics.hit_rate_at[1] == 1.0
        assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
        assert run.circumstances["concurrency"] == 4

    @pytest.mark.parametrize("concurrency", [0, 9])
    def test_no_more_than_eight_are_asked_at_a_time(self, database, tenant, notes, golden, concurrency) -> None:
        with pytest.raises(InvalidInputError, match="expected 1 to 8"):
            run_of(database, tenant, searching({}), concurrency=concurrency)

    @pytest.mark.parametrize("concurrency", [1, 2])
    def test_one_that_is_cancelled_stores_nothing(self, database, tenant, notes, golden, concurrency) -> None:
        asked: list[str] = []

        def search(query: str) -> Retrieval:
            asked.append(query)
            return found(query, [])

        with pytest.raises(EvaluationCancelledError):
            run_of(database, tenant, search, concurrency=concurrency, should_stop=lambda: len(asked) >= 2)

        assert 2 <= len(asked) < 4
        with database.transaction(tenant) as connection:
            assert list_runs(connection, tenant, limit=10) == []

    def test_what_raises_in_the_progress_ends_it(self, database, tenant, notes, golden) -> None:
        asked: list[str] = []

        def stop(_done: int, _total: int) -> None:
            raise EvaluationCancelledError("ya")

        def search(query: str) -> Retrieval:
            asked.append(query)
            return found(query, [])

        with pytest.raises(EvaluationCancelledError):
            run_of(database, tenant, search, on_progress=stop)

        assert len(asked) == 1

    def test_a_run_has_the_id_it_is_given_and_knows_its_set(self, database, tenant, notes, golden) -> None:
        wanted = uuid4()

        run = run_of(database, tenant, lambda query: found(query, []), run_id=wanted, purpose="benchmark")

        again = stored(database, tenant, wanted)
        assert (again.run_id, again.purpose, again.set_vocabulary) == (wanted, "benchmark", "brain_sync")
        assert again.set_id == run.set_id is not None


class TestStoredRuns:
    def test_it_is_read_as_it_was_stored(self, database, tenant, notes, golden) -> None:
        n1, *_ = notes
        with database.transaction(tenant) as connection:
            delete_notes(connection, tenant, [notes[3]])

        run = run_of(database, tenant, lambda query: found(query, [*strangers(2), n1]))

        assert stored(database, tenant, run.run_id) == run
        assert run.orphaned_queries == 1

    def test_an_older_run_is_completed_from_its_queries(self, database, tenant, notes, golden, database_url) -> None:
        n1, *_ = notes
        run = run_of(database, tenant, lambda query: replace(found(query, [n1]), stages={"retrieval": 3.0}))
        with psycopg.connect(database_url, autocommit=True) as owner:
            owner.execute(
                "update brain.evaluation_runs set set_id = null, set_vocabulary = null, metrics = '{}', latency_stages = '{}'"
            )
            owner.execute(
                "update brain.evaluation_queries set relevance_grades = null, is_confident = null, stages = '{}'"
            )

        old = stored(database, tenant, run.run_id)

        assert old.extra == extra_metrics(run.queries)
        assert old.extra["map_at_10"] == 0.25
        assert (old.set_id, old.latency_stages, old.queries[0].grades) == (None, {}, {})

    def test_an_unknown_run_is_not_found(self, database, tenant) -> None:
        with pytest.raises(NotFoundError):
            stored(database, tenant, uuid4())
