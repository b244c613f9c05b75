"""Registry of metrics: one row a metric, read by runs, comparisons, reports, pages and commands."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from rag_core.model.note import Language

if TYPE_CHECKING:
    from rag_core.model.answer_reading import AnswerReading
    from rag_core.model.evaluation import QueryResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A figure of one query in [0, 1], higher is better; a run keeps its mean over the queries that define it.

    ``figure`` gives None where the metric is undefined; only a partial metric may be. ``titles`` need English, which stands in for
    a missing language; ``meanings`` say in plain words what ``formula`` computes. A shown metric stands in the tables and charts of a
    run; its JSON has every metric. ``compared_as`` is its name in comparisons, None where runs are not compared by it. A drop of
    a decisive metric is a regression.
    """

    name: str
    titles: Mapping[Language, str]
    formula: str
    figure: "Callable[[QueryResult], float | None]"
    meanings: Mapping[Language, str] = field(default_factory=dict)
    is_partial: bool = False
    is_shown: bool = False
    compared_as: str | None = None
    is_decisive: bool = False

    def title(self, language: Language = "en") -> str:
        """The title in a language, else in English."""
        return self.titles.get(language, self.titles["en"])


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerMetric:
    """A figure of one answer in [0, 1]; a run keeps its mean over the answers that define it, else says why none does.

    ``figure`` gives None where the metric is undefined; ``undefined`` is the reason when it is so for all answers. ``needs`` names
    what a golden query must have. A judged metric has no mean without a judge. ``is_one_of_quotations`` is for metrics that are 1
    by construction where an answer only quotes its sources and cites them.
    """

    name: str
    titles: Mapping[Language, str]
    formula: str
    figure: "Callable[[AnswerReading], float | None]"
    undefined: str = "no answer defines it"
    needs: Literal["key_facts", "forbidden_content"] | None = None
    is_judged: bool = False
    is_one_of_quotations: bool = False

    def title(self, language: Language = "en") -> str:
        """The title in a language, else in English."""
        return self.titles.get(language, self.titles["en"])


_METRICS: dict[str, Metric] = {}
_ANSWER_METRICS: dict[str, AnswerMetric] = {}


def register(metric: Metric | AnswerMetric) -> None:
    """Add a metric to the registry.

    Raises:
        ValueError: a metric of this name is registered, or a decisive metric is not compared.
    """
    if metric.name in _METRICS or metric.name in _ANSWER_METRICS:
        raise ValueError(f"a metric named {metric.name!r} is registered already; choose another name")
    if isinstance(metric, AnswerMetric):
        _ANSWER_METRICS[metric.name] = metric
        return
    if metric.is_decisive and metric.compared_as is None:
        raise ValueError(f"the metric {metric.name!r} is decisive but not compared; give it compared_as")
    _METRICS[metric.name] = metric


def metrics() -> Mapping[str, Metric]:
    """The registered metrics of retrieval by name, in the order of registration."""
    return _METRICS


def answer_metrics() -> Mapping[str, AnswerMetric]:
    """The registered metrics of answers by name, in the order of registration."""
    return _ANSWER_METRICS


def compared_metrics() -> dict[str, Metric]:
    """The metrics that two runs are compared by, under their names in comparisons."""
    return {metric.compared_as: metric for metric in _METRICS.values() if metric.compared_as is not None}


def decisive_metrics() -> tuple[str, ...]:
    """The names in comparisons of the metrics whose drop is a regression."""
    return tuple(name for name, metric in compared_metrics().items() if metric.is_decisive)


def title_of(name: str, language: Language = "en") -> str:
    """The title of a metric by its name in runs or comparisons; a name that is not registered stands for itself."""
    metric = _METRICS.get(name) or _ANSWER_METRICS.get(name) or compared_metrics().get(name)
    return name if metric is None else metric.title(language)
