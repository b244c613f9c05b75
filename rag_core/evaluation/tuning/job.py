"""Tuning as a job of the server: asked for, done in the background, its result kept."""

from collections.abc import Mapping
from typing import Any

from rag_core.errors import InvalidInputError
from rag_core.evaluation.jobs.queue import JobProgress, register
from rag_core.evaluation.tuning.record import leg_search
from rag_core.evaluation.tuning.space import PARTS, parse_parts
from rag_core.evaluation.tuning.tune import DEFAULT_MINUTES, propose, tune
from rag_core.model.golden import DEFAULT_SET
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine

MAX_MINUTES = 120
TIMEOUT_MS = 30_000


def run_tuning(
    engine: Engine, tenant: TenantId, parameters: Mapping[str, Any], progress: JobProgress
) -> dict[str, Any]:
    """Tune on a set (``set``, ``parts``, ``minutes``) and propose what is better, unless ``dry_run``; what it came to.

    Raises:
        InvalidInputError: a parameter is out of bounds, or the set cannot be tuned on.
        JobCancelledError: somebody cancelled it; nothing is proposed.
    """
    minutes = parameters.get("minutes", DEFAULT_MINUTES)
    if isinstance(minutes, bool) or not isinstance(minutes, int | float) or not 0 < minutes <= MAX_MINUTES:
        raise InvalidInputError(f"minutes is {minutes!r}; expected a number above 0 and up to {MAX_MINUTES}")
    searched = leg_search(engine, tenant, timeout_ms=TIMEOUT_MS)
    found = tune(
        searched,
        set_name=str(parameters.get("set", DEFAULT_SET)),
        parts=parse_parts(str(parameters.get("parts", ",".join(PARTS)))),
        minutes=float(minutes),
        on_progress=progress.report,
    )
    return (found if parameters.get("dry_run") else propose(searched, found)).to_json()


register("tuning", run_tuning)
