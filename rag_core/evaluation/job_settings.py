"""The settings that the result of a job depends on. A job is done only by a server that has those it was asked under. No I/O."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from rag_core.settings import Settings

MEASURED_SETTINGS = (
    "chat_model",
    "chat_context_tokens",
    "chat_timeout_ms",
    "judge_model",
    "ollama_host",
    "context_summaries",
    "reranker",
    "reranker_url",
    "reranker_model",
    "reranker_path",
    "answer_context_tokens",
    "answer_candidates",
    "answer_sources",
    "answer_recent_notes",
    "answer_evidence",
    "answer_rerank_score",
    "answer_groundedness",
    "answer_judge",
    "guardrails_injection",
    "guardrails_judge",
    "guardrails_personal_data",
    "request_timeout_ms",
    "timezone",
)
"""Settings of a process that change what is found, answered or judged. The embedding model is in the database, the same for all."""


def asked_under(settings: Settings) -> dict[str, str]:
    """``fingerprint`` and ``description`` of a process's settings, as a job keeps them.

    The fingerprint is the first 16 hex digits of SHA-256 over ``MEASURED_SETTINGS``; the description names the models.
    """
    values = {name: getattr(settings, name) for name in MEASURED_SETTINGS}
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
