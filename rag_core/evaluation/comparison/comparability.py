"""Checks that two runs asked the same queries and searched the same inputs. No I/O."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rag_core.errors import IncomparableRunsError
from rag_core.model.evaluation import StoredRun

INPUTS = "inputs"
"""Key of a run's circumstances with digests of its inputs, beside those that have columns of their own."""
INDEXED = "indexedNotes"
"""Key of a run's circumstances with the number of notes indexed by the pipeline of each fingerprint, '' for the others."""


def asked_differently(
    baseline: StoredRun, set_id: UUID | None, set_name: str, set_version: int, category: str | None
) -> list[str]:
    """Differences in the queries of a baseline and another run, one a sentence: set, version of the set, category."""
    is_other_set = baseline.set_name != set_name if None in {baseline.set_id, set_id} else baseline.set_id != set_id
    reasons = []
    if is_other_set:
        reasons.append(f"one asked the golden set {baseline.set_name!r}, the other {set_name!r}")
    elif baseline.set_version != set_version:
        reasons.append(f"the golden set {set_name!r} was at version {baseline.set_version}, and is at {set_version}")
    if baseline.category != category:
        reasons.append(f"one asked {_asked(baseline.category)}, the other {_asked(category)}")
    return reasons


def refuse_different(
    baseline: StoredRun, set_id: UUID | None, set_name: str, set_version: int, category: str | None
) -> None:
    """Refuse to compare with a run that did not ask the same.

    Raises:
        IncomparableRunsError: set, version of the set or category differ.
    """
    reasons = asked_differently(baseline, set_id, set_name, set_version, category)
    if reasons:
        raise IncomparableRunsError(
            f"the runs did not ask the same: {'; '.join(reasons)}. Evaluate anew, or compare the queries they have in common "
            "with --common (over HTTP common=1)",
            reasons=reasons,
        )


def changed_inputs(baseline: StoredRun, current: StoredRun) -> tuple[str, ...] | None:
    """Names of the inputs that differ between two runs; without any, rankings should be equal. None where a run did not keep them."""
    before, after = _inputs(baseline), _inputs(current)
    if before is None or after is None:
        return None
    return tuple(name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name))


def _inputs(run: StoredRun) -> Mapping[str, Any] | None:
    kept = run.circumstances.get(INPUTS)
    if not isinstance(kept, Mapping):
        return None
    return {
        **kept,
        "configuration": run.config_hash,
        "models": dict(run.models),
        "pipeline": run.pipeline_fingerprint,
        "goldenSet": (run.set_name, run.set_version),
    }


def _asked(category: str | None) -> str:
    return "all categories" if category is None else f"only {category}"
