"""The settings that the result of a job depends on. A job is done only by a server that has those it was asked under. No I/O."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from rag_core.settings import Settings

UNMEASURED_SETTINGS = frozenset(
    {
        "home",
        "database_url",
        "dagster_database_url",
        "tenant",
        "api_port",
        "api_host",
        "allowed_hosts",
        "access",
        "secret",
        "questions_per_minute",
        "questions_per_hour",
        "dagster_port",
        "dagster_url",
        "api_url",
        "reranker_api_key",
        "chat_api_key",
        "ollama_concurrency",
        "session_days",
        "session_idle_minutes",
        "query_cache_seconds",
        "embedding_cache_seconds",
        "context_cache_seconds",
        "alert_urls",
        "alert_least_severity",
        "alert_cooldown_hours",
        "alert_latency_ms",
        "alert_error_rate",
        "alert_least_requests",
        "alert_stale_hours",
        "alert_graph_lag_minutes",
        "alert_unevaluated_hours",
        "alert_stalled_minutes",
        "alert_silent_minutes",
        "gate_hit_rate",
        "gate_goes_back",
        "log_level",
        "log_text",
        "max_note_characters",
        "note_version_days",
        "pool_max_size",
        "requests_at_once",
        "shared_buffers_mb",
    }
)
"""Settings of a process that change nothing of what is found, answered or judged: places, keys, limits of callers, alerts, logs, the
size of the machine. All others count, new ones too. The embedding model is in the database, the same for all."""


def asked_under(settings: Settings) -> dict[str, str]:
    """``fingerprint`` and ``description`` of a process's settings, as a job keeps them.

    The fingerprint is the first 16 hex digits of SHA-256 over all settings but ``UNMEASURED_SETTINGS``; the description names
    the models.
    """
    values = {name: getattr(settings, name) for name in Settings.model_fields if name not in UNMEASURED_SETTINGS}
    canonical = json.dumps(values, sort_keys=True, default=str)
    return {"fingerprint": hashlib.sha256(canonical.encode()).hexdigest()[:16], "description": _described(values)}


def _described(values: Mapping[str, Any]) -> str:
    chat = values["chat_model"]
    judge = values["judge_model"] or chat
    reranker = values["reranker_model"] or ""
    return ", ".join(
        [
            f"chat model {chat}" if chat else "no chat model",
            f"judge {judge}" if judge else "no judge",
            f"re-ranker {values['reranker']} {reranker}".strip(),
        ]
    )
