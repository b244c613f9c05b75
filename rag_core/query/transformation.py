"""Transformation of a query before the search, without a chat model."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from rag_core.configuration.schema import QueryTransformation
from rag_core.language import LANGUAGES
from rag_core.language.detection import detect_language
from rag_core.language.languages import language_of
from rag_core.model.note import Language
from rag_core.model.retrieval import TransformedQuery
from rag_core.query.analysis import causal_direction, classify
from rag_core.query.decomposition import decompose
from rag_core.query.time_expressions import find_times, strip_times

_WORD = re.compile(r"\w+")


def transform(query: str, *, language: Language, now: datetime, config: QueryTransformation) -> TransformedQuery:
    """The query's intent, direction, parts and times; the query itself stays as it is.

    ``now`` is the user's, with a zone. What the configuration switches off is left as if nothing had been found: the
    query is its only part, it names no time. The intent is always told. ``hyde_answer`` is for the caller to fill in.

    Raises:
        ValueError: ``now`` has no time zone.
    """
    has_parts = config.enabled and config.enable_decomposition
    has_times = config.enabled and config.enable_time_expressions
    times = find_times(query, now=now, language=language) if has_times else ()
    return TransformedQuery(
        original_query=query,
        intent=classify(query, language=language),
        direction=causal_direction(query, language=language),
        sub_queries=(decompose(query, language=language) if has_parts else ()) or (query,),
        times=times,
        without_time=strip_times(query, times),
        timestamp=now.astimezone(UTC),
    )


def query_language(query: str, *, known: Sequence[Language]) -> Language:
    """The language a query is read in: by its signs (¿, ñ, ß), by its function words, else the first of ``known``.

    ``known`` are the languages of the tenant's notes, most important first; they decide where two languages have
    equally many function words, and where there is none ("Kubernetes Helm"). Without them it is Spanish.
    """
    return language_by_signs(query) or detect_language(query) or _nearest(query, known)


def language_by_signs(query: str) -> Language | None:
    """The language of which a query has a character of its own (¿, ñ, ß); None without any."""
    return next((code for code in LANGUAGES if any(sign in query for sign in language_of(code).traits.signs)), None)


def _nearest(query: str, known: Sequence[Language]) -> Language:
    words = _WORD.findall(query.lower())
    return max(
        known,
        key=lambda language: sum(word in language_of(language).stop_words.function_words for word in words),
        default="es",
    )
