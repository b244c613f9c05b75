"""Tuning from beginning to end: what is served now, recorded, searched around, judged on held-out queries, and proposed."""

import hashlib
import json
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from rag_core.configuration.proposals import propose_configuration
from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG, RetrievalConfig, configure
from rag_core.configuration.served import ServedConfiguration, default_weights, model_key
from rag_core.errors import InvalidInputError
from rag_core.evaluation.tuning.cross_validation import Bench, Choice, HasTime, cross_validate
from rag_core.evaluation.tuning.record import LegSearch, Recording, fetch_queries, record
from rag_core.evaluation.tuning.replay import Replay
from rag_core.evaluation.tuning.report import Tuning, summarise
from rag_core.evaluation.tuning.space import PARTS, Part, Space
from rag_core.reranking import RERANKERS
from rag_core.reranking.fitting import FOLDS
from rag_core.reranking.weights import Weights

MIN_QUERIES = 30
"""With fewer, the interval of a difference is wider than any difference to be had."""
DEFAULT_MINUTES = 5.0
STEPS = 100
"""Into how many steps of progress the search of one fold is divided."""

OnProgress = Callable[[str, int, int], None]
"""Told the stage, the steps done and how many there are."""


@dataclass(slots=True, kw_only=True)
class Budget:
    """The time a tuning may take; ``on_progress`` hears how much of the search is done."""

    ends_at: float
    clock: Callable[[], float]
    on_progress: OnProgress
    chosen: int = 0

    def share(self, parts: int) -> HasTime:
        """Return the time check of the next of so many folds: the first get more time, because later ones reuse what they tried."""
        began = self.clock()
        seconds = max(0.0, self.ends_at - began) * 2 / (parts + 1)

        def has_time() -> bool:
            spent = self.clock() - began
            self._tell(min(1.0, spent / seconds) if seconds else 1.0)
            return spent < seconds

        return has_time

    def choice_made(self) -> None:
        """One more fold has chosen."""
        self.chosen += 1
        self._tell(0.0)

    def _tell(self, share: float) -> None:
        self.on_progress("searching", int(STEPS * (self.chosen + share)), STEPS * (FOLDS + 1))


def tune(
    searched: LegSearch,
    *,
    set_name: str,
    parts: Collection[Part] = PARTS,
    minutes: float = DEFAULT_MINUTES,
    on_progress: OnProgress = lambda _stage, _done, _total: None,
    clock: Callable[[], float] = time.monotonic,
) -> Tuning:
    """Look for a configuration that is better than what is served, and say what it is worth on queries it was not chosen on.

    The search stops after so many minutes, recording included; with fewer configurations tried the result is as honest.
    Nothing is stored.

    Raises:
        InvalidInputError: the set is unknown, or fewer than ``MIN_QUERIES`` of its queries can be judged.
    """
    began = clock()
    served = searched.served
    queries = fetch_queries(searched.database, searched.tenant, set_name)
    done = iter(range(1, len(queries) + 1))
    recording = record(
        searched,
        queries,
        config=served.config,
        on_progress=lambda: on_progress("recording", next(done), len(queries)),
    )
    _check(recording, set_name)
    bench = _bench(recording, served, parts, is_embedded=_is_embedded(searched))
    budget = Budget(ends_at=began + 60 * minutes, clock=clock, on_progress=on_progress)
    validation = cross_validate(bench, shares=budget.share, on_choice=budget.choice_made)
    named = replace(validation, choice=_named(validation.choice, set_name, len(recording.queries)))
    return summarise(
        named,
        bench.space,
        recording,
        set_name=set_name,
        served=served,
        is_out_of_time=clock() >= budget.ends_at,
        seconds=clock() - began,
    )


def propose(searched: LegSearch, tuning: Tuning) -> Tuning:
    """The tuning with its configuration stored under a number, when it is worth proposing; nothing is served otherwise."""
    if tuning.objection is not None:
        return tuning
    weights = tuning.choice.weights
    if weights is None and tuning.served.reranker_version is not None:
        weights = tuning.served.weights
    with searched.database.transaction(searched.tenant) as connection:
        stored = propose_configuration(
            connection,
            searched.tenant,
            override=differences(tuning.config),
            embedding_model=model_key(searched.model),
            reranker_weights=None if weights is None else weights.to_json(),
            origin="tuning",
            evidence=tuning.to_json(),
        )
    return replace(tuning, number=stored.number)


def differences(config: RetrievalConfig) -> dict[str, Any]:
    """Settings of a configuration that differ from the program's defaults; merged over these they give the configuration again."""
    found = _differences(config.to_wire(), DEFAULT_RETRIEVAL_CONFIG.to_wire())
    assert configure(found) == config
    return found


def _differences(values: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            inner = _differences(value, defaults[key])
            found |= {key: inner} if inner else {}
        elif value != defaults[key]:
            found[key] = value
    return found


def _bench(recording: Recording, served: ServedConfiguration, parts: Collection[Part], *, is_embedded: bool) -> Bench:
    """Setup of the measurements: as served, but without the re-ranker where it cannot be computed from the recording."""
    chosen: Collection[Part] = parts if is_embedded else tuple(part for part in parts if part != "reranking")
    base = served.config if is_embedded else configure(strategy=_before_reranking(served.config), base=served.config)
    return Bench(
        replay=Replay(recording=recording),
        space=Space(base=base, model=recording.model, parts=chosen),
        weights=served.weights,
        fitted_from=default_weights(recording.model) if "reranking" in chosen else None,
    )


def _is_embedded(searched: LegSearch) -> bool:
    return RERANKERS.get(searched.served.config.reranking.provider or searched.reranker).is_fitted


def _before_reranking(config: RetrievalConfig) -> Any:
    return "hybrid" if config.strategy in {"hybrid+rerank", "routed"} else config.strategy


def _check(recording: Recording, set_name: str) -> None:
    if len(recording.queries) < MIN_QUERIES:
        usable = len(recording.queries)
        raise InvalidInputError(
            f"of the golden set {set_name} {usable} queries can be judged and {recording.left_out} cannot; "
            f"tuning needs at least {MIN_QUERIES}. Add queries with brain golden import FILE --set {set_name}"
        )


def _named(choice: Choice, set_name: str, queries: int) -> Choice:
    """The choice with its weights named by what they are: the same numbers have the same name."""
    weights = choice.weights
    if weights is None:
        return choice
    return replace(choice, weights=_versioned(weights, set_name, queries))


def _versioned(weights: Weights, set_name: str, queries: int) -> Weights:
    numbers = json.dumps([weights.coefficients, weights.slope, weights.intercept])
    provenance = {
        "sets": [set_name],
        "queries": queries,
        "folds": FOLDS,
        "date": datetime.now(UTC).date().isoformat(),
    }
    version = f"tuned-{hashlib.sha256(numbers.encode()).hexdigest()[:8]}"
    return replace(weights, version=version, fitted_on=provenance)
