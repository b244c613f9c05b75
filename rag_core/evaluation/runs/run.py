"""An evaluation run: every query of a golden set asked, the figures stored with what led to them."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from typing import Any
from uuid import UUID, uuid4

from rag_core.configuration.schema import config_hash
from rag_core.errors import InvalidInputError
from rag_core.evaluation.comparison.comparability import INDEXED, INPUTS, refuse_different
from rag_core.evaluation.golden.origins import PROPOSED, proposed_queries
from rag_core.evaluation.golden.query import parse_category
from rag_core.evaluation.runs.answers import summarise
from rag_core.evaluation.runs.asking import Asker, EvaluatedSearch, ask_all
from rag_core.evaluation.runs.baselines import compare_with_baseline, compare_with_run
from rag_core.evaluation.runs.passages import Anchors, anchor, notes_to_read
from rag_core.evaluation.runs.results import (
    EvaluationRun,
    extra_metrics,
    latency_by_stage,
    latency_percentiles,
    retrieval_metrics,
)
from rag_core.evaluation.runs.unanswerable import (
    UNANSWERABLE,
    UnanswerableResult,
    count_unanswerable,
    kept_unanswerable,
)
from rag_core.model.counting import in_english
from rag_core.model.evaluation import Purpose, QueryResult
from rag_core.model.golden import Category, GoldenQuery
from rag_core.model.note import TenantId
from rag_core.model.run_comparison import Comparison
from rag_core.storage.database import Connection, Database
from rag_core.storage.evaluations import fetch_contents, fetch_query_results, fetch_run, insert_run
from rag_core.storage.golden import (
    GoldenSet,
    fetch_golden_queries,
    fetch_golden_set,
    list_golden_set_names,
)
from rag_core.storage.run_inputs import count_indexed_notes, fetch_run_inputs


def never() -> bool:
    """Go on, whatever happens."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    """The set, its queries by whether notes answer them, where the answers stand, and what the run depends on.

    ``orphaned`` counts those whose notes were all deleted.
    """

    golden: GoldenSet
    category: Category | None
    asked: list[GoldenQuery]
    unanswerable: list[GoldenQuery]
    orphaned: int
    anchors: Anchors
    inputs: Mapping[str, Any]
    indexed: Mapping[str, int]

    @property
    def figures(self) -> dict[str, Any]:
        """Figures of the run's set, known before anything is asked."""
        return {
            "set_id": self.golden.id,
            "set_name": self.golden.name,
            "set_version": self.golden.version,
            "set_vocabulary": self.golden.vocabulary,
            "category": self.category,
            "orphaned_queries": self.orphaned,
            "lost_spans": self.anchors.lost,
        }

    def circumstances(self, given: Mapping[str, Any], *, concurrency: int) -> dict[str, Any]:
        """Circumstances of the run: the inputs, what is ``given``, and the unusual facts."""
        facts: dict[str, Any] = {
            "orphaned_queries": self.orphaned,
            "lost_spans": self.anchors.lost,
            "concurrency": concurrency if concurrency > 1 else 0,
            PROPOSED: proposed_queries(self.asked),
        }
        return {
            INPUTS: self.inputs,
            INDEXED: self.indexed,
            **given,
            **{name: fact for name, fact in facts.items() if fact},
        }


def evaluate(
    database: Database,
    tenant: TenantId,
    evaluated: EvaluatedSearch,
    *,
    set_name: str,
    category: str | None = None,
    purpose: Purpose = "manual",
    strategy: str | None = None,
    circumstances: Mapping[str, Any] | None = None,
    baseline_run_id: UUID | None = None,
    common_only: bool = True,
    run_id: UUID | None = None,
    on_stored: Callable[[Connection], None] = lambda _connection: None,
    concurrency: int = 1,
    should_stop: Callable[[], bool] = never,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    clock: Callable[[], float] = time.perf_counter,
) -> EvaluationRun:
    """Ask every query of the set, or of one category, and store the run with its queries in one transaction.

    A query that raises a ``RagError`` is a miss with the error's name; one whose relevant notes are all deleted is left out. The
    run is compared on the common queries with ``baseline_run_id``, else with the baseline of its set and ``strategy``, by default
    the configuration's; ``common_only=False`` refuses a run that asked something else. With an answerer queries with an expected
    answer are answered, and those that the notes do not answer. ``concurrency`` is 1 to 8. ``on_progress`` gets the queries done
    and their number, ``on_stored`` the transaction that stores the run; ``clock`` gives seconds.

    Raises:
        InvalidInputError: the set or the category is unknown, or there is no query to ask.
        NotFoundError, IncomparableRunsError: there is no run ``baseline_run_id``, or it asked something else.
        EvaluationCancelledError: ``should_stop`` said so; nothing is stored.
    """
    with database.transaction(tenant) as connection:
        baseline = None if baseline_run_id is None else fetch_run(connection, tenant, baseline_run_id)
        prepared = _prepare(connection, tenant, set_name, category)
    if baseline is not None and not common_only:
        refuse_different(baseline, prepared.golden.id, set_name, prepared.golden.version, category)
    ask = partial(ask_all, concurrency=concurrency, should_stop=should_stop)
    asker = Asker(evaluated=evaluated, anchors=prepared.anchors, clock=clock)
    results, refusals = _ask(prepared, asker, ask, on_progress)
    origin = {"run_id": run_id or uuid4(), "purpose": purpose, **_origin(evaluated, strategy)}
    facts = prepared.circumstances(circumstances or {}, concurrency=concurrency)
    run = _run_of(prepared, results, refusals, origin=origin, circumstances=facts)
    run = replace(run, comparison=_compared(database, tenant, run, baseline_run_id))
    with database.transaction(tenant) as connection:
        insert_run(connection, tenant, run, results)
        on_stored(connection)
    return run


def _ask(
    prepared: _Prepared, asker: Asker, ask: Callable[..., list[Any]], on_progress: Callable[[int, int], None]
) -> tuple[list[QueryResult], list[UnanswerableResult]]:
    """Ask what the notes answer, then, where queries are answered, what they do not."""
    tested = prepared.unanswerable if asker.evaluated.answerer is not None else []
    asked = len(prepared.asked)
    total = asked + len(tested)
    results = ask(prepared.asked, asker.ask, on_progress=lambda done, _: on_progress(done, total))
    refusals = ask(tested, asker.ask_unanswerable, on_progress=lambda done, _: on_progress(asked + done, total))
    return results, refusals


def _run_of(
    prepared: _Prepared,
    results: Sequence[QueryResult],
    refusals: Sequence[UnanswerableResult],
    *,
    origin: Mapping[str, Any],
    circumstances: Mapping[str, Any],
) -> EvaluationRun:
    unanswerable = count_unanswerable(prepared.unanswerable, refusals)
    counted = {} if unanswerable is None else {UNANSWERABLE: unanswerable.to_json()}
    return EvaluationRun(
        circumstances={**circumstances, **counted},
        unanswerable=unanswerable,
        **prepared.figures,
        **origin,
        **_figures(results),
    )


def _origin(evaluated: EvaluatedSearch, strategy: str | None) -> dict[str, Any]:
    """Fields of a run on its search, for every kind of run."""
    config, models = evaluated.config, evaluated.models
    return {
        "strategy": strategy or config.strategy,
        "config_hash": config_hash(config, model_names=models),
        "config": config.to_wire(),
        "models": dict(models),
        "pipeline_fingerprint": evaluated.pipeline_fingerprint,
    }


def fetch_evaluation(connection: Connection, tenant: TenantId, run_id: UUID) -> EvaluationRun:
    """A stored run with its queries; what a run from before some metric was kept lacks is worked out from its queries.

    Raises:
        NotFoundError: the tenant has no such run.
    """
    run, queries = fetch_run(connection, tenant, run_id), fetch_query_results(connection, tenant, run_id)
    return EvaluationRun(
        **{
            **{name.name: getattr(run, name.name) for name in fields(run)},
            "extra": {**extra_metrics(queries), **run.extra},
            "latency_stages": run.latency_stages or latency_by_stage(queries),
        },
        queries=tuple(queries),
        orphaned_queries=run.circumstances.get("orphaned_queries", 0),
        lost_spans=run.circumstances.get("lost_spans", 0),
        unanswerable=kept_unanswerable(run.circumstances),
    )


def _figures(results: Sequence[QueryResult]) -> dict[str, Any]:
    """Fields of a run on its queries, for every kind of run."""
    answers = summarise([result.answer for result in results if result.answer is not None])
    return {
        "metrics": retrieval_metrics(results),
        "extra": extra_metrics(results),
        "answers": answers,
        "faithfulness": None if answers is None else answers.faithfulness,
        "answer_relevance": None if answers is None else answers.answer_relevance,
        "latency_ms": latency_percentiles(results),
        "latency_stages": latency_by_stage(results),
        "total_queries": len(results),
        "degraded_queries": sum(result.is_degraded for result in results),
        "failed_queries": sum(result.error is not None for result in results),
        "created_at": datetime.now(UTC),
        "queries": tuple(results),
    }


def _compared(
    database: Database, tenant: TenantId, run: EvaluationRun, baseline_run_id: UUID | None
) -> Comparison | None:
    if baseline_run_id is not None:
        return compare_with_run(database, tenant, run, baseline_run_id)
    assert run.strategy is not None
    return compare_with_baseline(database, tenant, run, strategy=run.strategy)


def _prepare(connection: Connection, tenant: TenantId, name: str, category: str | None) -> _Prepared:
    golden = fetch_golden_set(connection, tenant, name)
    if golden is None:
        known = ", ".join(list_golden_set_names(connection, tenant)) or "none"
        raise InvalidInputError(f"no golden set is called {name!r} (there is: {known}); {_import_remedy(name)}")
    wanted = None if category is None else parse_category(category, golden.vocabulary)
    queries = fetch_golden_queries(connection, tenant, set_name=name, category=wanted)
    asked = [query for query in queries if query.relevant_note_ids]
    unanswerable = [query for query in queries if not query.is_answerable]
    _check_asked(asked, queries, name, wanted)
    return _Prepared(
        golden=golden,
        category=wanted,
        asked=asked,
        unanswerable=unanswerable,
        orphaned=len(queries) - len(asked) - len(unanswerable),
        anchors=anchor(asked, fetch_contents(connection, tenant, notes_to_read(asked))),
        inputs={**fetch_run_inputs(connection, tenant), "program": version("brain-sync")},
        indexed=count_indexed_notes(connection, tenant),
    )


def _check_asked(
    asked: Sequence[GoldenQuery], queries: Sequence[GoldenQuery], name: str, category: Category | None
) -> None:
    if asked:
        return
    kind = f" of category {category}" if category else ""
    if queries and not any(query.is_answerable for query in queries):
        raise InvalidInputError(
            f"the golden set {name!r} has only queries that the notes do not answer{kind}, and retrieval is measured by others; "
            f"{_import_remedy(name)}"
        )
    if queries:
        raise InvalidInputError(
            f"every note that answers the {in_english(len(queries), 'query', 'queries')}{kind} of the golden set {name!r} "
            f"is deleted; {_import_remedy(name)}"
        )
    raise InvalidInputError(f"the golden set {name!r} has no query{kind}; {_import_remedy(name)}")


def _import_remedy(name: str) -> str:
    return f"fill it with brain golden import FILE --set {name}"
