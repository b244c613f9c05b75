"""The context of an answer, compressed as asked for and never over its budget."""

from collections.abc import Sequence
from dataclasses import replace

from rag_core.answering.sources.compression.abstractive import generate_summaries
from rag_core.answering.sources.compression.extractive import extract_sentences
from rag_core.answering.sources.context import (
    MAX_SOURCES,
    build_context,
    context_tokens,
    fit_sources,
    make_sources,
    renumbered,
)
from rag_core.chat import ChatModel
from rag_core.errors import ChatCancelledError, ChatError
from rag_core.model.answer import Compression, PromptContext, Source
from rag_core.model.note import Language
from rag_core.model.retrieval import Hit
from rag_core.resilience.cancellation import Cancellation
from rag_core.telemetry.logs import log_degraded

KEPT_WHOLE = 3
"""Sources that a hierarchical compression shortens last."""


def fetch_context(
    query: str,
    hits: Sequence[Hit],
    *,
    language: Language,
    compression: Compression,
    max_tokens: int,
    max_sources: int = MAX_SOURCES,
    chat: ChatModel | None = None,
    timeout_seconds: float = 0,
    cancellation: Cancellation | None = None,
) -> PromptContext:
    """``build_context`` with the sources shortened first; ``count_tokens(context.text) <= max_tokens`` for every way.

    ``extractive`` keeps three sentences a source. ``abstractive`` asks ``chat`` for summaries, within ``timeout_seconds``; without one,
    or where it fails, it is extractive, and the context's ``compression`` says so. ``hierarchical`` does the same with all but the
    first three, which stay whole as far as the others keep their places, or else half of the budget reaches.

    Raises:
        ChatCancelledError: it was cancelled while the model wrote summaries.
    """
    sources = make_sources(hits, max_sources=max_sources)
    if compression == "none" or not sources:
        return build_context(hits, max_tokens=max_tokens, max_sources=max_sources)
    has_chat = chat is not None and compression != "extractive"
    short, is_summarised = _shortened(
        query,
        sources,
        language=language,
        chat=chat if has_chat else None,
        timeout_seconds=timeout_seconds,
        cancellation=cancellation,
    )
    if compression == "hierarchical":
        short = _with_whole(short, sources, max_tokens=max_tokens)
    done: Compression = "extractive" if compression == "abstractive" and not is_summarised else compression
    return replace(renumbered(fit_sources(short, max_tokens=max_tokens)), compression=done)


def _shortened(
    query: str,
    sources: Sequence[Source],
    *,
    language: Language,
    chat: ChatModel | None,
    timeout_seconds: float,
    cancellation: Cancellation | None,
) -> tuple[list[Source], bool]:
    """Every source shortened, and whether a model did it; what it left whole is extracted from."""
    if chat is None:
        return extract_sentences(query, sources, language=language), False
    try:
        summarised = generate_summaries(
            query,
            sources,
            language=language,
            chat=chat,
            timeout_seconds=timeout_seconds,
            cancellation=cancellation,
        )
    except ChatCancelledError:
        raise
    except ChatError as error:
        log_degraded("compression", error)
        return extract_sentences(query, sources, language=language), False
    extracted = extract_sentences(query, sources, language=language)
    chosen = [
        brief if brief.text != source.text else short
        for source, brief, short in zip(sources, summarised, extracted, strict=True)
    ]
    return chosen, True


def _with_whole(short: Sequence[Source], whole: Sequence[Source], *, max_tokens: int) -> list[Source]:
    """The first sources whole instead of short, one by one, while all together fit or the whole ones take half of the room."""
    chosen = list(short)
    for place, source in enumerate(whole[:KEPT_WHOLE]):
        longer = [*chosen[:place], source, *chosen[place + 1 :]]
        if context_tokens(longer) > max_tokens and context_tokens(longer[: place + 1]) > max_tokens // 2:
            break
        chosen = longer
    return chosen
