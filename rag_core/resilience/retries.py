"""Retries in the log: which call and how often, never what it was called with."""

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stamina.instrumentation import RetryDetails

_LOG = logging.getLogger("brain")


def keep_arguments_out_of_logs() -> None:
    """Replace stamina's own record of a retry, which holds the call's arguments, such as the texts to embed.

    It would go to stdout besides, where a command prints its JSON. Whoever retries calls this first.
    """
    from stamina.instrumentation import set_on_retry_hooks  # 0.1 s, needed only where something is retried

    set_on_retry_hooks([_log_retry])


def _log_retry(details: "RetryDetails") -> None:
    facts = {"component": details.name, "attempt": details.retry_num, "wait_seconds": round(details.wait_for, 3)}
    _LOG.info("retry", extra=facts | {"error": type(details.caused_by).__name__})
