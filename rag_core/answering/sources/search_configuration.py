"""The configuration that sources are searched with: defaults for every contract, then the promoted values, then the request's."""

from collections.abc import Mapping
from typing import Any

from rag_core.answering.events import AnswerOptions
from rag_core.configuration.schema import RetrievalConfig, configure
from rag_core.configuration.served import ServedConfiguration
from rag_core.settings import Settings


def answer_config(
    served: ServedConfiguration,
    settings: Settings,
    *,
    config: RetrievalConfig | None = None,
    override: Mapping[str, Any] | None = None,
    max_sources: int | None = None,
) -> RetrievalConfig:
    """The served configuration, or ``config``, with as many candidates and sources as answers are made from.

    They are those of ``override``, else of the promoted configuration, where these name ``topK``, else ``BRAIN_ANSWER_CANDIDATES`` and
    ``BRAIN_ANSWER_SOURCES``. ``max_sources`` is the request's own number of sources and takes precedence.
    """
    named = {**served.in_force.get("topK", {}), **(override or {}).get("topK", {})}
    wide = configure({"topK": _stages(named, settings)}, base=config or served.config)
    return wide if max_sources is None else configure(top_k=max_sources, base=wide)


def _stages(named: Mapping[str, int], settings: Settings) -> dict[str, int]:
    """The three numbers: those that are named stay, the others are moved to fit them."""
    sources = settings.answer_sources
    least = max(sources, *(named.get(stage, 0) for stage in ("reranking", "final")))
    retrieval = named.get("retrieval", max(settings.answer_candidates, least))
    reranking = named.get("reranking", min(retrieval, max(sources, named.get("final", 0))))
    return {"retrieval": retrieval, "reranking": reranking, "final": named.get("final", min(sources, reranking))}


def default_options(settings: Settings, *, max_sources: int | None = None) -> AnswerOptions:
    """The options of ``POST /chat`` and ``brain ask``, which answer alike."""
    return AnswerOptions(max_sources=max_sources, may_use_recent_notes=settings.answer_recent_notes)
