"""The report of one run: its metrics with their intervals, by group, its latency, its queries, and what was measured."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from rag_core.api.pages.evaluation.views import words
from rag_core.api.pages.evaluation.views.parts import (
    NOTHING_PROMOTED,
    RUNS_ADDRESS,
    Chart,
    RunLine,
    Table,
    flat,
    run_line,
    settings_words,
    table,
)
from rag_core.api.pages.evaluation.views.run_charts import (
    group_chart,
    joint_table,
    latency_chart,
    metrics_chart,
    shown_groupings,
    stages_chart,
)
from rag_core.api.pages.texts import counted, headings, tr
from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG
from rag_core.evaluation.comparison.intervals import metric_intervals, query_figures
from rag_core.evaluation.golden.origins import known_circumstances, metrics_by_origin
from rag_core.model.evaluation import QueryResult, StoredRun
from rag_core.promotion.served_runs import ServingHistory

AddressOf = Callable[[UUID], str]
"""Address of a query's results, by its id."""

MAX_WORST = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryLine:
    """One query of a run in its table; ``sort_…`` is what the columns are sorted by."""

    query: str
    address: str
    category: str
    category_name: str
    difficulty: int
    rank: str
    sort_rank: int
    ndcg_at_10: str
    recall_at_20: str
    latency: str
    sort_latency: float
    state: str
    is_first: bool
    is_miss: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Filter of a run's queries: of one category, and all or those without a good note early on."""

    category: str = ""
    only: str = ""

    def fits(self, line: QueryLine) -> bool:
        """True when the query is shown."""
        is_wanted = {"sin-acierto": line.is_miss, "no-primera": not line.is_first}.get(self.only, True)
        return is_wanted and self.category in {"", line.category_name}

    def count(self, lines: Sequence[QueryLine]) -> int:
        """Number of queries shown."""
        return sum(map(self.fits, lines))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that was so when the run was made; ``is_code`` when it is a hash, a name or JSON."""

    name: str
    value: str
    is_code: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """A run as its page shows it."""

    line: RunLine
    title: str
    warnings: tuple[str, ...]
    metrics: Chart
    origins: str
    groups: tuple[Chart, ...]
    joint: Table
    latency: Chart
    stages: Chart | None
    answers: Table | None
    answers_about: str
    worst: tuple[QueryLine, ...]
    queries: tuple[QueryLine, ...]
    categories: tuple[tuple[str, str], ...]
    facts: tuple[Fact, ...]


def run_report(
    run: StoredRun,
    results: Sequence[QueryResult],
    *,
    zone: ZoneInfo,
    baselines: frozenset[str] = frozenset(),
    history: ServingHistory = NOTHING_PROMOTED,
    address_of: AddressOf | None = None,
) -> RunReport:
    """The report of a run with at least one query.

    ``address_of`` gives where a query's results are, by default on a page of their own.
    """
    find = address_of or partial(query_address, run.run_id)
    lines = tuple(sorted((query_line(result, address_of=find) for result in results), key=_badness))
    figures = [(result, query_figures(result)) for result in results]
    return RunReport(
        line=run_line(run, zone=zone, baselines=baselines, history=history),
        title=tr("Evaluación de «{name}»", name=run.set_name),
        warnings=tuple(_warnings(run)),
        metrics=metrics_chart(metric_intervals(one for _, one in figures)),
        origins=_origins(run, results),
        groups=tuple(group_chart(*grouping, figures) for grouping in shown_groupings(run)),
        joint=joint_table(figures),
        latency=latency_chart(run, results),
        stages=stages_chart(run, results),
        answers=_answers(run),
        answers_about=_answers_about(run),
        worst=tuple([line for line in lines if not line.is_first][:MAX_WORST]),
        queries=lines,
        categories=tuple({line.category_name: line.category for line in lines}.items()),
        facts=tuple(_facts(run, zone)),
    )


def query_address(run_id: UUID, query_id: UUID) -> str:
    """The page with what a query brought back."""
    return f"{RUNS_ADDRESS}/{run_id}/queries/{query_id}"


def query_line(result: QueryResult, *, address_of: AddressOf) -> QueryLine:
    """One query of a run."""
    rank = result.first_relevant_rank
    return QueryLine(
        query=" ".join(result.query.split()),
        address=address_of(result.query_id),
        category=words.category(result.category),
        category_name=result.category,
        difficulty=result.difficulty,
        rank=words.rank(rank),
        sort_rank=rank or 1000,
        ndcg_at_10=words.figure(result.ndcg_at_10),
        recall_at_20=words.figure(result.recall_at_20, decimals=2),
        latency=words.milliseconds(result.latency_ms),
        sort_latency=round(result.latency_ms, 1),
        state=tr("falló: {reason}", reason=result.error)
        if result.error
        else tr("degradada")
        if result.is_degraded
        else "",
        is_first=rank == 1,
        is_miss=rank is None or rank > 10,
    )


def _badness(line: QueryLine) -> tuple[int, str, str]:
    """Misses first, then the lowest nDCG@10 and the last rank."""
    return -line.sort_rank, line.ndcg_at_10, line.query


def _warnings(run: StoredRun) -> list[str]:
    found = []
    if run.degraded_queries:
        found.append(
            counted(
                "{count} consulta se degradó: las cifras no representan del todo esta forma de buscar",
                "{count} consultas se degradaron: las cifras no representan del todo esta forma de buscar",
                run.degraded_queries,
            )
        )
    if run.failed_queries:
        found.append(
            counted(
                "{count} consulta falló; cuenta como no encontrada",
                "{count} consultas fallaron; cuentan como no encontradas",
                run.failed_queries,
            )
        )
    if run.category is not None:
        found.append(tr("Solo incluye las consultas de categoría «{name}»", name=words.category(run.category)))
    return found


def _origins(run: StoredRun, results: Sequence[QueryResult]) -> str:
    """One's own questions and proposed ones apart; "" where the set has one kind only."""
    found = metrics_by_origin(run.circumstances, results)
    told = [
        tr(
            "{origin} ({count}): Acierto@10 {hit_rate}, nDCG@10 {ndcg}",
            origin=words.ORIGINS[origin],
            count=group.total_queries,
            hit_rate=words.figure(group.metrics.hit_rate_at[10]),
            ndcg=words.figure(group.metrics.ndcg_at_10),
        )
        for origin, group in found.items()
    ]
    easier = tr("Las propuestas son más fáciles: repiten las palabras de su nota.")
    return f"{'; '.join(told)}. {easier}" if told else ""


def _answers(run: StoredRun) -> Table | None:
    found = run.answers
    if found is None:
        return None
    rows = [
        (words.metric(name), words.figure(mean), str(found.counts.get(name, 0)))
        for name, mean in found.means.items()
        if mean is not None
    ]
    return table(headings("métrica", "valor medio", "respuestas"), rows)


def _answers_about(run: StoredRun) -> str:
    found = run.answers
    if found is None:
        return ""
    judged = (
        tr("las juzgó {judge}", judge=found.judge) if found.judge else tr("sin juez: solo dicen algo de las palabras")
    )
    by = words.ANSWERERS.get(found.answerer, found.answerer)
    told = [
        counted(
            "{count} respuesta de {by}; {judged}.",
            "{count} respuestas de {by}; {judged}.",
            found.answers,
            by=by,
            judged=judged,
        ),
        tr(
            "Sin respuesta en las notas: {refusals}; fallidas: {failed}; juicios que no se pudieron leer: {unread}.",
            refusals=found.refusals,
            failed=found.failed,
            unread=found.judge_failures,
        ),
    ]
    if found.by_construction:
        told.append(tr("Citan al pie de la letra: apoyo y citas valen 1 por construcción."))
    return " ".join(told)


def _facts(run: StoredRun, zone: ZoneInfo) -> list[Fact]:
    changed = differences(run.config, DEFAULT_RETRIEVAL_CONFIG.to_wire())
    facts = [
        Fact(name=tr("Conjunto"), value=tr("{name}, versión {version}", name=run.set_name, version=run.set_version)),
        Fact(name=tr("Fecha"), value=words.exact_moment(run.created_at, zone)),
        Fact(name=tr("Tipo"), value=words.PURPOSES.get(run.purpose, run.purpose)),
        Fact(name=tr("Consultas degradadas"), value=str(run.degraded_queries)),
        Fact(name=tr("Consultas fallidas"), value=str(run.failed_queries)),
        Fact(name=tr("Ejecución"), value=str(run.run_id), is_code=True),
        Fact(name=tr("Configuración"), value=run.config_hash, is_code=True),
        Fact(name=tr("Diferencias con la configuración predeterminada"), value=settings_words(changed)),
        *(
            Fact(name=tr("Modelo, {role}", role=words.MODEL_ROLES.get(role, role)), value=model, is_code=True)
            for role, model in run.models.items()
        ),
        Fact(name=tr("Índice hecho con"), value=run.pipeline_fingerprint, is_code=True),
    ]
    for name, value in flat(known_circumstances(run)).items():
        said = words.ROLES.get(str(value), tr("de fábrica") if value is None else str(value))
        facts.append(Fact(name=words.CIRCUMSTANCES.get(name, name), value=said))
    return facts


def differences(config: Mapping[str, Any], default: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a configuration that differ from another one's, by their paths."""
    found: dict[str, Any] = {}
    for name, value in config.items():
        usual = default.get(name)
        if isinstance(value, Mapping) and isinstance(usual, Mapping):
            found.update({f"{name}.{inner}": left for inner, left in differences(value, usual).items()})
        elif value != usual:
            found[name] = value
    return found
