"""Evaluation runs of the served configuration, and the configuration that each run searched with. No I/O."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from typing import Any, Literal

from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG, configure, deep_merge
from rag_core.configuration.served import without_model_values
from rag_core.errors import ConfigurationError
from rag_core.evaluation.comparison.comparability import INPUTS
from rag_core.model.evaluation import StoredRun
from rag_core.storage.configurations import Configuration, ConfigurationPromotion

Source = int | Literal["factory", "own"]
"""Origin of a run's configuration: its number, the program's defaults, or written for that run alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingHistory:
    """Served configurations with their begin, newest first, and the numbered configurations; without promotion the defaults."""

    promotions: Sequence[ConfigurationPromotion] = ()
    configurations: Mapping[int, Configuration] = field(default_factory=dict)

    def number_at(self, moment: datetime) -> int | None:
        """The configuration that was served at a moment; None for the program's defaults."""
        return next((one.configuration for one in self.promotions if one.promoted_at <= moment), None)


def serving_history(
    promotions: Iterable[ConfigurationPromotion], configurations: Iterable[Configuration]
) -> ServingHistory:
    """The history of these promotions, in whatever order they come."""
    return ServingHistory(
        promotions=sorted(promotions, key=lambda one: one.promoted_at, reverse=True),
        configurations={one.number: one for one in configurations},
    )


def is_of_served(run: StoredRun, history: ServingHistory) -> bool:
    """Tell whether a run measured the configuration that was served when it was made, by whichever strategy.

    Nightly runs are. Those made by hand and by the gate search with the active model, and are where their configuration is the
    one that was served. Trials, benchmarks, other models and half migrated notes are not, not even their served sides.
    """
    if run.purpose == "nightly":
        return True
    return run.purpose in {"manual", "gate"} and _is_searched_with(run, history.number_at(run.created_at), history)


def source_of(run: StoredRun, history: ServingHistory) -> Source:
    """Return the origin of the run's configuration; the one served at the time goes before others with equal values."""
    number = run.circumstances.get("configuration")
    if run.purpose == "promotion" and isinstance(number, int):
        return number
    served = history.number_at(run.created_at)
    for tried in dict.fromkeys((served, None, *sorted(history.configurations))):
        if _is_searched_with(run, tried, history):
            return "factory" if tried is None else tried
    return "own"


def trials_of(number: int, runs: Iterable[StoredRun]) -> list[StoredRun]:
    """The runs that tried a configuration before a promotion, in the order given."""
    return [
        run
        for run in runs
        if run.purpose == "promotion"
        and run.circumstances.get("role") == "candidate"
        and run.circumstances.get("configuration") == number
    ]


def _is_searched_with(run: StoredRun, number: int | None, history: ServingHistory) -> bool:
    """Tell whether the run's configuration is the numbered one, except for the strategy.

    A run of another version of the program had other defaults: of it only what the configuration changes is compared.
    """
    override = _override(run, number, history)
    if override is None:
        return False
    found = {**run.config, "strategy": None}
    if _program(run) != version("brain-sync"):
        return deep_merge(found, override) == found if number is not None else True
    try:
        wanted = configure(override).to_wire()
    except ConfigurationError:  # such a configuration is not served: see resolve
        wanted = DEFAULT_RETRIEVAL_CONFIG.to_wire()
    return found == {**wanted, "strategy": None}


def _override(run: StoredRun, number: int | None, history: ServingHistory) -> dict[str, Any] | None:
    """Return the values that a configuration changes with the run's embedding model; None for an unknown one."""
    if number is None:
        return {}
    configuration = history.configurations.get(number)
    if configuration is None:
        return None
    is_foreign = configuration.embedding_model not in {None, run.models.get("embedding")}
    override = without_model_values(configuration.override) if is_foreign else dict(configuration.override)
    return {name: value for name, value in override.items() if name != "strategy"}


def _program(run: StoredRun) -> str | None:
    inputs = run.circumstances.get(INPUTS)
    return inputs.get("program") if isinstance(inputs, Mapping) else None
