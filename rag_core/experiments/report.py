"""An experiment with what its records tell, as the command line and the pages show it."""

from dataclasses import asdict, dataclass
from typing import Any

from rag_core.configuration.served import ServedConfiguration
from rag_core.experiments.running import contest_of
from rag_core.experiments.statistics import (
    LEAST_DECIDED,
    SIGNIFICANCE,
    InterleavingFigures,
    RateTest,
    ShadowFigures,
    SplitFigures,
    interleaving_figures,
    shadow_figures,
    split_figures,
)
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.experiment import Experiment, ExperimentQuery
from rag_core.model.note import TenantId
from rag_core.storage.database import Database
from rag_core.storage.experiments import fetch_running_experiment, find_experiment, list_experiment_queries

Figures = InterleavingFigures | SplitFigures | ShadowFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentReport:
    """An experiment and its figures; ``conclusion`` says in a sentence what they come to, ``pause`` why no query takes part now."""

    experiment: Experiment
    figures: Figures
    conclusion: str
    pause: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The report as it is printed."""
        return {
            **experiment_to_json(self.experiment),
            "pause": self.pause,
            "conclusion": self.conclusion,
            "figures": _figures_to_json(self.figures),
        }


def fetch_report(
    database: Database, tenant: TenantId, name: str, *, served: ServedConfiguration, model: EmbeddingModel
) -> ExperimentReport:
    """The experiment of that name, or id, with its figures up to now; ``served`` and ``model`` are what the tenant is served.

    Raises:
        NotFoundError: there is no such experiment.
    """
    with database.transaction(tenant) as connection:
        experiment = find_experiment(connection, tenant, name)
        queries = list_experiment_queries(connection, tenant, experiment.id)
        running = fetch_running_experiment(connection, tenant) if experiment.state == "running" else None
    figures = figures_of(experiment, queries)
    contest = None if running is None else contest_of(running, served, model)
    return ExperimentReport(
        experiment=experiment,
        figures=figures,
        conclusion=conclusion_on(figures),
        pause=None if contest is None else contest.pause,
    )


def figures_of(experiment: Experiment, queries: list[ExperimentQuery]) -> Figures:
    """Compute the figures of an experiment from its records, by its mode."""
    if experiment.mode == "interleave":
        return interleaving_figures(queries)
    return split_figures(queries) if experiment.mode == "split" else shadow_figures(queries)


def conclusion_on(figures: Figures) -> str:
    """Sum up the figures in a sentence or two."""
    if isinstance(figures, InterleavingFigures):
        return _on_interleaving(figures)
    return _on_split(figures) if isinstance(figures, SplitFigures) else _on_shadow(figures)


def _on_interleaving(figures: InterleavingFigures) -> str:
    if figures.p_value is None or figures.preference is None:
        return "Nobody has preferred a side yet: no note of an answer was opened or judged."
    share = f"{100 * figures.preference:.0f} % of {figures.wins + figures.losses} decided queries"
    if figures.p_value >= SIGNIFICANCE:
        may_be = f"the candidate won {share}, which may be chance (p = {figures.p_value:.3f})"
        return f"No preference yet: {may_be}. {_more(figures.more_queries)}"
    side = "candidate" if figures.preference > 0.5 else "control"
    return f"Readers prefer the {side}: the candidate won {share} (p = {figures.p_value:.3g})."


def _on_split(figures: SplitFigures) -> str:
    return f"{_on_rate('found helpful', figures.helpful)} {_on_rate('opened', figures.opened)}"


def _on_rate(what: str, test: RateTest) -> str:
    if test.difference is None or test.p_value is None:
        return f"Answers {what}: nothing to compare yet."
    points = f"{100 * test.difference:+.1f} points with the candidate"
    if test.p_value >= SIGNIFICANCE:
        return f"Answers {what}: {points}, which may be chance (p = {test.p_value:.3f}). {_more(test.more_queries)}"
    return f"Answers {what}: {points} (p = {test.p_value:.3g})."


def _on_shadow(figures: ShadowFigures) -> str:
    if figures.rank_biased_overlap is None or figures.same_top is None:
        return "No query was answered by both sides yet."
    return (
        f"Over {figures.compared} queries the rankings agree to {figures.rank_biased_overlap:.2f} (rank-biased overlap), with the same "
        f"best note in {100 * figures.same_top:.0f} %. Which is better, a shadow does not tell: nobody saw the candidate. "
        "Nor which is faster: it ran second and in the background."
    )


def _more(queries: int | None) -> str:
    """Say how many more queries are needed; a share of a few queries changes with the next one."""
    if queries is None:
        return f"Need at least {LEAST_DECIDED} decisive queries to estimate how many more are required."
    return "" if queries == 0 else f"At this rate about {queries:,} more live queries are needed."


def experiment_to_json(experiment: Experiment) -> dict[str, Any]:
    """The experiment without its figures."""
    return {
        "id": str(experiment.id),
        "name": experiment.name,
        "mode": experiment.mode,
        "share": experiment.share,
        "state": experiment.state,
        "started_at": experiment.started_at.isoformat(),
        "stopped_at": None if experiment.stopped_at is None else experiment.stopped_at.isoformat(),
        "control": dict(experiment.control),
        "candidate": dict(experiment.candidate),
        "control_reranker": experiment.control_reranker,
        "candidate_reranker": experiment.candidate_reranker,
    }


def _figures_to_json(figures: Figures) -> dict[str, Any]:
    if not isinstance(figures, SplitFigures):
        return asdict(figures)
    rates = {
        name: {"open_rate": arm.open_rate, "helpful_rate": arm.helpful_rate}
        for name, arm in (("control", figures.control), ("candidate", figures.candidate))
    }
    document = asdict(figures)
    return document | {name: document[name] | more for name, more in rates.items()}
