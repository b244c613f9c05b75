"""The first page about evaluation: how the figures went, what happened meanwhile, and what there is to look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import pairwise
from zoneinfo import ZoneInfo

from markupsafe import Markup

from rag_core.api.pages.evaluation.views import words
from rag_core.api.pages.evaluation.views.parts import (
    CONFIGURATIONS_ADDRESS,
    NOTHING_PROMOTED,
    Chart,
    RunLine,
    flat,
    run_line,
    settings_words,
    table,
)
from rag_core.api.pages.texts import Texts, headings, tr
from rag_core.evaluation.report.charts.drawing import for_both_widths
from rag_core.evaluation.report.charts.history import Event, Point, Series, history_chart, marker_sample
from rag_core.model.evaluation import StoredRun
from rag_core.promotion.served_runs import ServingHistory, is_of_served
from rag_core.storage.evaluations import Baseline
from rag_core.storage.models import RegisteredModel
from rag_core.storage.reports import RegressionAlert

MAX_EVENTS = 30
MAX_RUNS = 50
_SERVED = Texts(
    {
        "promote": "se sirve {configuration}",
        "return": "se vuelve a {configuration}",
        "reset": "se vuelve a {configuration}",
    }
)
_HISTORIES = ("ndcg_at_10", "mrr", "hit_rate_at_10")


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """Something that may explain a change: ``kind`` is the style sheet's class for it, ``address`` where more is said."""

    moment: datetime
    label: str
    kind: str
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLine:
    """An event as the list below the charts tells it."""

    number: int
    when: str
    label: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """Meaning of a colour and a marker."""

    marker: Markup
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The newest run of a strategy as it was served, at a glance."""

    strategy: str
    line: RunLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The whole page but for what is listed beside the runs; ``not_drawn`` counts runs of what nobody was served."""

    heads: tuple[Head, ...]
    histories: tuple[Chart, ...]
    keys: tuple[Key, ...]
    events: tuple[EventLine, ...]
    runs: tuple[RunLine, ...]
    total_runs: int
    not_drawn: int


def overview(
    runs: Sequence[StoredRun],
    happened: Sequence[Happened],
    baselines: Sequence[Baseline],
    *,
    zone: ZoneInfo,
    history: ServingHistory = NOTHING_PROMOTED,
) -> Overview:
    """The page for runs of one set, newest first; none give empty charts.

    Runs of a single category are listed and not drawn: their figures are of other queries. So are those of what nobody was
    served: candidates, benchmarks, other models.
    """
    whole = [run for run in runs if run.category is None and run.strategy in words.STRATEGIES]
    drawn = [run for run in whole if is_of_served(run, history)]
    told = _within([*happened, *_set_changes(drawn)], drawn)
    events = [Event(moment=one.moment, number=n, label=one.label, kind=one.kind) for n, one in enumerate(told, 1)]
    chosen = frozenset(str(one.run_id) for one in baselines)
    return Overview(
        heads=tuple(_heads(drawn, zone, chosen, history)),
        histories=tuple(_history(name, drawn, events, zone) for name in _HISTORIES) if drawn else (),
        keys=tuple(
            Key(marker=marker_sample(number), name=words.STRATEGIES[name])
            for name, number in words.STRATEGY_NUMBERS.items()
            if any(run.strategy == name for run in drawn)
        ),
        events=tuple(
            EventLine(number=n, when=words.moment(one.moment, zone), label=one.label, address=one.address)
            for n, one in enumerate(told, 1)
        ),
        runs=tuple(run_line(run, zone=zone, baselines=chosen, history=history) for run in runs[:MAX_RUNS]),
        total_runs=len(runs),
        not_drawn=len(whole) - len(drawn),
    )


def promotions_happened(history: ServingHistory) -> list[Happened]:
    """Events of configurations that began to be served, with their changes."""
    return [
        Happened(
            moment=one.promoted_at,
            label=_SERVED[one.action].format(configuration=_configuration_told(one.configuration, history)),
            kind="served",
            address="" if one.configuration is None else f"{CONFIGURATIONS_ADDRESS}/{one.configuration}",
        )
        for one in history.promotions
    ]


def _configuration_told(number: int | None, history: ServingHistory) -> str:
    if number is None:
        return tr("la configuración de fábrica")
    found = history.configurations.get(number)
    told = tr("la configuración {number}", number=number)
    return told if found is None else f"{told}, {settings_words(flat(found.override))}"


def models_happened(models: Sequence[RegisteredModel]) -> list[Happened]:
    """Events of embedding models that became active."""
    return [
        Happened(
            moment=one.promoted_at,
            label=tr("modelo {model} en uso", model=f"{one.model.name}@{one.model.version}"),
            kind="served",
        )
        for one in models
        if one.promoted_at is not None
    ]


def baselines_happened(baselines: Sequence[Baseline]) -> list[Happened]:
    """Events of baselines that were chosen."""
    return [
        Happened(
            moment=one.promoted_at,
            label=(
                tr("nueva referencia, {strategy} (automática)", strategy=words.strategy(one.strategy))
                if one.is_automatic
                else tr("nueva referencia, {strategy}", strategy=words.strategy(one.strategy))
            ),
            kind="baseline",
        )
        for one in baselines
    ]


def alerts_happened(alerts: Sequence[RegressionAlert], zone: ZoneInfo) -> list[Happened]:
    """Events of alerts that nightly evaluations raised."""
    return [
        Happened(
            moment=one.first_seen_at,
            label=(
                tr("alerta: la evaluación empeoró, sin resolver")
                if one.resolved_at is None
                else tr("alerta: la evaluación empeoró, resuelta el {when}", when=words.moment(one.resolved_at, zone))
            ),
            kind="alert",
        )
        for one in alerts
    ]


def _set_changes(runs: Sequence[StoredRun]) -> list[Happened]:
    """Events of a golden set that differs from the one of the run before; figures then are of other queries, and lines break."""
    ordered = sorted(runs, key=lambda run: run.created_at)
    return [
        Happened(
            moment=now.created_at,
            label=tr(
                "el conjunto pasó a la versión {version}: desde aquí son otras consultas", version=now.set_version
            ),
            kind="set",
        )
        for before, now in pairwise(ordered)
        if before.set_version != now.set_version
    ]


def _within(happened: Sequence[Happened], runs: Sequence[StoredRun]) -> list[Happened]:
    """The latest events within the time of the runs, in its order."""
    if not runs:
        return []
    first, last = min(run.created_at for run in runs), max(run.created_at for run in runs)
    within = sorted((one for one in happened if first <= one.moment <= last), key=lambda one: one.moment)
    return within[-MAX_EVENTS:]


def _heads(runs: Sequence[StoredRun], zone: ZoneInfo, baselines: frozenset[str], history: ServingHistory) -> list[Head]:
    newest: dict[str, StoredRun] = {}
    for run in runs:
        newest.setdefault(run.strategy or "", run)
    return [
        Head(strategy=label, line=run_line(newest[name], zone=zone, baselines=baselines, history=history))
        for name, label in words.STRATEGIES.items()
        if name in newest
    ]


def _history(metric: str, runs: Sequence[StoredRun], events: Sequence[Event], zone: ZoneInfo) -> Chart:
    name = words.metric(metric)
    series = [
        Series(name=label, number=words.STRATEGY_NUMBERS[strategy], points=points)
        for strategy, label in words.STRATEGIES.items()
        if (points := _points(runs, strategy, metric, zone))
    ]
    span = (runs[0].created_at - runs[-1].created_at).total_seconds()
    latest = "; ".join(f"{one.name}: {words.figure(one.points[-1].value)}" for one in series)
    return Chart(
        title=name,
        about="",
        drawing=for_both_widths(
            lambda frame: history_chart(
                frame,
                series,
                events,
                show=words.tick,
                show_day=partial(words.axis_moment, zone=zone, span_seconds=span),
            ),
            name=f"historia-{name.lower().replace('@', '-')}",
            title=tr("{metric} de una evaluación a otra", metric=name),
            description=tr("Lo último: {figures}", figures=latest),
        ),
        table=table(
            (*headings("evaluación", "búsqueda"), name),
            [
                (
                    words.exact_moment(run.created_at, zone),
                    words.strategy(run.strategy),
                    words.figure(run.metrics.by_name[metric]),
                )
                for run in runs[:MAX_RUNS]
            ],
        ),
    )


def _points(runs: Sequence[StoredRun], strategy: str, metric: str, zone: ZoneInfo) -> tuple[Point, ...]:
    return tuple(
        Point(
            moment=run.created_at,
            value=run.metrics.by_name[metric],
            label=words.moment(run.created_at, zone),
            is_hollow=run.is_disturbed,
            group=run.set_version,
        )
        for run in reversed(runs)
        if run.strategy == strategy
    )
