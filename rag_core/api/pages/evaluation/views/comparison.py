"""The report of one run against another: each metric's difference, whether it is real, and which queries it comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from zoneinfo import ZoneInfo

from rag_core.api.pages.evaluation.views import words
from rag_core.api.pages.evaluation.views.comparison_charts import effects_chart, groups_chart, metrics_chart
from rag_core.api.pages.evaluation.views.parts import (
    NOTHING_PROMOTED,
    Chart,
    RunLine,
    Table,
    percentiles,
    run_line,
    table,
)
from rag_core.api.pages.evaluation.views.run import AddressOf, query_address
from rag_core.api.pages.texts import counted, headings, marked_decimal, tr
from rag_core.evaluation.comparison.comparability import INPUTS
from rag_core.evaluation.comparison.effects import QueryEffect
from rag_core.model.evaluation import StoredRun
from rag_core.model.run_comparison import LEAST_DROP, MIN_COMMON_QUERIES, Comparison
from rag_core.promotion.served_runs import ServingHistory

MAX_CHANGES = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLine:
    """A query that won or lost: its figures and the first relevant rank before and after."""

    query: str
    address: str
    category: str
    before: str
    after: str
    difference: str
    before_rank: str
    after_rank: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonReport:
    """Two runs as the page of their comparison shows them."""

    baseline: RunLine
    candidate: RunLine
    verdict: str
    verdict_kind: str
    explanations: tuple[str, ...]
    inputs: str
    warnings: tuple[str, ...]
    metrics: Chart
    groups: Chart
    effects: Chart
    winners: tuple[ChangeLine, ...]
    losers: tuple[ChangeLine, ...]
    counts: str
    latency: Table


def comparison_report(
    baseline: StoredRun,
    candidate: StoredRun,
    comparison: Comparison,
    effects: Sequence[QueryEffect],
    *,
    zone: ZoneInfo,
    baselines: frozenset[str] = frozenset(),
    history: ServingHistory = NOTHING_PROMOTED,
    address_of: AddressOf | None = None,
) -> ComparisonReport:
    """The report of a comparison; ``effects`` are those of its deciding metric.

    ``address_of`` gives where a query's results are, by default on a page with those of both runs.
    """
    verdict, kind = _verdict(comparison)
    label = words.metric(comparison.metric)
    better = sorted((one for one in effects if one.difference > 0), key=lambda one: (-one.difference, one.query))
    worse = sorted((one for one in effects if one.difference < 0), key=lambda one: (one.difference, one.query))
    find = address_of or (lambda query_id: f"{query_address(candidate.run_id, query_id)}?baseline={baseline.run_id}")
    lined = partial(_change_line, address_of=find)
    return ComparisonReport(
        baseline=run_line(baseline, zone=zone, baselines=baselines, history=history),
        candidate=run_line(candidate, zone=zone, baselines=baselines, history=history),
        verdict=verdict,
        verdict_kind=kind,
        explanations=tuple(_explanations(comparison)),
        inputs=_inputs(baseline, candidate, comparison.changed_inputs),
        warnings=tuple(_warnings(baseline, candidate, comparison)),
        metrics=metrics_chart(comparison),
        groups=groups_chart(effects, label),
        effects=effects_chart(effects, label),
        winners=tuple(map(lined, better[:MAX_CHANGES])),
        losers=tuple(map(lined, worse[:MAX_CHANGES])),
        counts=_counts(label, len(better), len(worse), len(effects)),
        latency=_latency(baseline, candidate),
    )


def _counts(label: str, better: int, worse: int, asked: int) -> str:
    told = (
        counted("{count} mejora", "{count} mejoran", better),
        counted("{count} empeora", "{count} empeoran", worse),
        counted("{count} queda igual", "{count} quedan igual", asked - better - worse),
    )
    return f"{label}: {', '.join(told)}"


def _verdict(comparison: Comparison) -> tuple[str, str]:
    """In a sentence, and the style sheet's class for it."""
    found = comparison.metrics[comparison.metric]
    label, moved = words.metric(comparison.metric), words.difference(comparison.difference)
    if comparison.obstacle == "degraded":
        disturbed = counted(
            "No se puede comparar: {count} consulta degradada o fallida",
            "No se puede comparar: {count} consultas degradadas o fallidas",
            comparison.disturbed,
        )
        return disturbed, "unclear"
    if comparison.obstacle == "too_few_queries":
        too_few = counted(
            "Sin veredicto: {count} consulta en común; se necesitan al menos {least}",
            "Sin veredicto: {count} consultas en común; se necesitan al menos {least}",
            comparison.queries,
            least=MIN_COMMON_QUERIES,
        )
        return too_few, "unclear"
    if comparison.is_regression:
        how = tr("de una cola, corregida con Holm entre las métricas que deciden")
        told = tr("Peor: {metric} {difference}, diferencia significativa", metric=label, difference=moved)
        return told + _corrected(found.p_worse_adjusted, how), "worse"
    if comparison.is_significant and comparison.difference > 0:
        how = tr("de dos colas, corregida con Holm entre todas las métricas")
        told = tr("Mejor: {metric} {difference}, diferencia significativa", metric=label, difference=moved)
        return told + _corrected(found.p_adjusted, how), "better"
    if comparison.is_significant:
        least = words.figure(LEAST_DROP, decimals=2)
        slight = tr(
            "Ligeramente peor: {metric} {difference}, por debajo del umbral de {least}",
            metric=label,
            difference=moved,
            least=least,
        )
        return slight, "unclear"
    return tr("Sin diferencia significativa: {metric} {difference}", metric=label, difference=moved), "unclear"


def _corrected(p: float | None, how: str) -> str:
    """The p that decides and how it was corrected; "" for a comparison from before p were."""
    return "" if p is None else f" ({words.p_phrase(p)} {how})"


def _explanations(comparison: Comparison) -> list[str]:
    found = comparison.metrics[comparison.metric]
    low, high = found.interval
    compared = counted(
        "{current} frente a {baseline}; la diferencia está entre {low} y {high} con un 95 % de confianza "
        "({p}, sobre {count} consulta en común).",
        "{current} frente a {baseline}; la diferencia está entre {low} y {high} con un 95 % de confianza "
        "({p}, sobre {count} consultas en común).",
        comparison.queries,
        current=words.figure(found.current),
        baseline=words.figure(found.baseline),
        low=words.difference(low),
        high=words.difference(high),
        p=words.p_phrase(found.p_value),
    )
    said = [compared]
    if comparison.detectable_difference is not None:
        needed = ", ".join(
            counted(
                "{count} consulta para detectar {difference}",
                "{count} consultas para detectar {difference}",
                count,
                difference=marked_decimal(difference),
            )
            for difference, count in comparison.queries_needed.items()
            if count is not None
        )
        said.append(
            tr(
                "Estas consultas detectan, con una potencia del 80 %, una diferencia de {difference} o más. Se necesitan {needed}.",
                difference=words.figure(comparison.detectable_difference),
                needed=needed,
            )
        )
    return said


def _inputs(baseline: StoredRun, candidate: StoredRun, changed: Sequence[str] | None) -> str:
    """Describe the inputs of the rankings that changed between two runs."""
    if changed is None:
        return tr("Una de las evaluaciones no registró sus entradas: no se puede saber qué más cambió")
    if not changed:
        return tr("Sin otros cambios: notas, modelos, configuración, índice, conjunto y programa son los mismos")
    named = [words.INPUTS.get(name, name) + _versions(name, baseline, candidate) for name in changed]
    return tr("Entre las dos cambió: {inputs}", inputs="; ".join(named))


def _versions(name: str, baseline: StoredRun, candidate: StoredRun) -> str:
    """From which version of the program to which; other inputs are known by digests, which tell nobody anything."""
    if name != "program":
        return ""
    before, after = (run.circumstances.get(INPUTS, {}).get(name) for run in (baseline, candidate))
    return tr(", de {before} a {after}", before=before, after=after)


def _warnings(baseline: StoredRun, candidate: StoredRun, comparison: Comparison) -> list[str]:
    found = []
    if baseline.set_name != candidate.set_name:
        found.append(
            tr("Son de conjuntos distintos, «{one}» y «{other}»", one=baseline.set_name, other=candidate.set_name)
        )
    elif baseline.set_version != candidate.set_version:
        found.append(
            tr(
                "El conjunto cambió de la versión {before} a la {after}: solo se comparan las consultas comunes",
                before=baseline.set_version,
                after=candidate.set_version,
            )
        )
    if comparison.disturbance is not None:
        found.append(
            tr(
                "Fallaron o se degradaron {now} de {asked} consultas, antes {then}: las cifras no las incluyen",
                now=comparison.disturbed_now,
                asked=comparison.asked_in_both,
                then=comparison.disturbed_then,
            )
        )
    if comparison.left_out:
        found.append(
            counted(
                "{count} consulta queda fuera de la comparación: falta en una evaluación, cambiaron sus notas o se degradó",
                "{count} consultas quedan fuera de la comparación: faltan en una evaluación, cambiaron sus notas o se degradaron",
                comparison.left_out,
            )
        )
    changed = _changed_models(baseline.models, candidate.models)
    if changed:
        found.append(tr("Los modelos no son los mismos: {models}", models=changed))
    is_same_model = baseline.models.get("embedding") == candidate.models.get("embedding")
    if is_same_model and baseline.pipeline_fingerprint != candidate.pipeline_fingerprint:
        found.append(
            tr(
                "El índice es distinto: cambiaron los fragmentos o sus contextos ({one} y {other})",
                one=baseline.pipeline_fingerprint,
                other=candidate.pipeline_fingerprint,
            )
        )
    return found


def _changed_models(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Models that differ; a re-ranker in only one of two strategies is already in its name."""
    return "; ".join(
        tr(
            "{role}, {before} antes y {after} después",
            role=words.MODEL_ROLES.get(role, role),
            before=before.get(role) or tr("ninguno"),
            after=after.get(role) or tr("ninguno"),
        )
        for role in dict.fromkeys((*before, *after))
        if before.get(role) != after.get(role)
        and not (role == "reranking" and None in {before.get(role), after.get(role)})
    )


def _change_line(effect: QueryEffect, *, address_of: AddressOf) -> ChangeLine:
    return ChangeLine(
        query=" ".join(effect.query.split()),
        address=address_of(effect.query_id),
        category=words.category(effect.category),
        before=words.figure(effect.baseline),
        after=words.figure(effect.current),
        difference=words.difference(effect.difference),
        before_rank=words.rank(effect.baseline_rank),
        after_rank=words.rank(effect.current_rank),
    )


def _latency(baseline: StoredRun, candidate: StoredRun) -> Table:
    rows = []
    then, now = dict(percentiles(baseline)), dict(percentiles(candidate))
    for name in (name for name in then if name in now):
        before, after = then[name], now[name]
        moved = f"{words.difference(after - before, decimals=1)} ms"
        rows.append((name, words.milliseconds(before), words.milliseconds(after), moved))
    return table(headings("latencia", "antes", "después", "diferencia"), rows)
