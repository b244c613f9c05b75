"""Every metric beside ir-measures' (trec_eval's own code), query by query and in the mean, on runs of real searches."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import ir_measures
import pytest
from databases import cloned_database
from ir_measures import AP, RR, P, Qrel, R, Rprec, ScoredDoc, Success, nDCG
from plants import index

from rag_core.configuration.schema import configure
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.evaluation.runs.run import evaluate
from rag_core.evaluation.runs.run_json import to_json
from rag_core.evaluation.runs.served import evaluated_search
from rag_core.model.evaluation import QueryResult
from rag_core.model.note import TenantId
from rag_core.notes.importing import import_lines
from rag_core.operation.demo_corpus import demo_file
from rag_core.runtime.engine import DEMO_TENANT, Engine, open_engine
from rag_core.settings import read_settings

pytestmark = pytest.mark.slow

EXACT = 1e-9
MEASURES = {
    "hit_rate_at.1": Success @ 1,
    "hit_rate_at.3": Success @ 3,
    "hit_rate_at.5": Success @ 5,
    "hit_rate_at.10": Success @ 10,
    "mrr": RR,
    "ndcg_at_5": nDCG @ 5,
    "ndcg_at_10": nDCG @ 10,
    "ndcg_at_20": nDCG @ 20,
    "recall_at_1": R @ 1,
    "recall_at_3": R @ 3,
    "recall_at_5": R @ 5,
    "recall_at_10": R @ 10,
    "recall_at_20": R @ 20,
    "precision_at_1": P @ 1,
    "precision_at_3": P @ 3,
    "precision_at_5": P @ 5,
    "precision_at_10": P @ 10,
    "precision_at_20": P @ 20,
    "r_precision": Rprec,
    "map_at_10": AP @ 10,
    "map_at_20": AP @ 20,
}


def assert_same_as_ir_measures(run: EvaluationRun) -> None:
    """The printed metrics are ir-measures', and so is every query's nDCG@10."""
    qrels = [
        Qrel(str(result.query_id), str(note), result.grades.get(note, 1))
        for result in run.queries
        for note in result.relevant_note_ids
    ]
    ranked = [scored for result in run.queries for scored in _scored(result)]
    theirs = ir_measures.calc_aggregate(list(MEASURES.values()), qrels, ranked)
    ours = to_json(run)["metrics"]

    assert {name: _named(ours, name) for name in MEASURES} == {
        name: pytest.approx(theirs[measure], abs=EXACT) for name, measure in MEASURES.items()
    }
    of_queries = {found.query_id: found.value for found in ir_measures.iter_calc([nDCG @ 10], qrels, ranked)}
    assert {str(result.query_id): result.ndcg_at_10 for result in run.queries} == {
        query: pytest.approx(value, abs=EXACT) for query, value in of_queries.items()
    }


def _scored(result: QueryResult) -> list[ScoredDoc]:
    """The ranking as scores that fall; a query that found nothing has a document that nobody asked for, to be counted."""
    ranked: Sequence[object] = result.ranked_note_ids or ["none"]
    return [ScoredDoc(str(result.query_id), str(note), -float(rank)) for rank, note in enumerate(ranked)]


def _named(metrics: dict[str, object], name: str) -> object:
    outer, _, inner = name.partition(".")
    found = metrics[outer]
    return found[inner] if isinstance(found, dict) else found


def run_strategy(engine: Engine, tenant: TenantId, strategy: str) -> EvaluationRun:
    config = configure(strategy=strategy)
    return evaluate(
        engine.database,
        tenant,
        evaluated_search(engine, tenant, config=config, timeout_ms=30_000),
        set_name="default",
    )


@pytest.fixture(scope="module")
def demo(server: str, template: str) -> Iterator[Engine]:
    """The demo's notes, indexed, and its golden set."""
    with cloned_database(server, template) as url, open_engine(read_settings(database_url=url)) as engine:
        load(engine, DEMO_TENANT, notes=demo_file("notes.jsonl"), golden=demo_file("golden.jsonl"))
        index(engine, DEMO_TENANT)
        yield engine


@pytest.mark.parametrize("strategy", ["fulltext", "semantic", "hybrid", "hybrid+rerank"])
def test_they_agree_on_the_demo_golden_set(demo: Engine, strategy: str) -> None:
    run = run_strategy(demo, DEMO_TENANT, strategy)

    assert run.total_queries >= 20
    assert_same_as_ir_measures(run)


def test_they_agree_where_relevance_has_grades(engine, tenant, make_note, index_notes) -> None:
    words = ["perro", "gato", "pájaro", "pez"]
    for number in range(40):
        make_note(f"El {words[number % 4]} número {number} vive con el {words[number % 3]}.", external_id=f"n{number}")
    index_notes()
    lines = [
        {
            "query": f"¿Dónde vive el {word} número {start}?",
            "relevance": [
                {"id": f"n{(start + 3 * step) % 40}", "grade": 1 + (start + step) % 3}
                for step in range(2 + 5 * start % 9)
            ],
        }
        for start in range(12)
        for word in [words[start % 4]]
    ]
    report = import_golden(engine.database, tenant, [json.dumps(line).encode() for line in lines])
    assert report.imported == 12

    for strategy in ("fulltext", "semantic", "hybrid"):
        run = run_strategy(engine, tenant, strategy)
        assert 0 < run.metrics.ndcg_at_10 < 1
        assert_same_as_ir_measures(run)


@pytest.mark.skipif("BRAIN_TEST_DATA" not in os.environ, reason="BRAIN_TEST_DATA is not set")
def test_they_agree_on_questions_about_encyclopaedia_articles(engine, tenant, index_notes) -> None:
    folder = Path(os.environ["BRAIN_TEST_DATA"]) / "xquad-es"
    load(engine, tenant, notes=folder / "corpus.jsonl", golden=folder / "queries.jsonl")
    index_notes()

    for strategy in (
        "fulltext",
        "semantic",
    ):  # short rankings and full ones; the demo's queries are asked with the others
        run = run_strategy(engine, tenant, strategy)
        assert run.total_queries > 600
        assert_same_as_ir_measures(run)


def load(engine: Engine, tenant: TenantId, *, notes: Path, golden: Path) -> None:
    with notes.open("rb") as lines:
        report = import_lines(
            engine.database,
            tenant,
            lines,
            source="notas",
            language=None,
            zone=engine.settings.zone,
            max_characters=engine.settings.max_note_characters,
        )
    assert report.rejected == []
    with golden.open("rb") as lines:
        import_golden(engine.database, tenant, lines)  # five questions of xquad-es stand in it twice
