"""Prefixes of texts for well-known embedding models, as their model cards require."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefixes:
    """Before a query, and before a text that is searched."""

    query: str = ""
    document: str = ""


_NONE = Prefixes()
_KNOWN = (
    (re.compile(r"nomic-embed-text"), Prefixes(query="search_query: ", document="search_document: ")),
    (re.compile(r"\be5-(small|base|large)\b(?!.*instruct)"), Prefixes(query="query: ", document="passage: ")),
    (re.compile(r"mxbai-embed-large"), Prefixes(query="Represent this sentence for searching relevant passages: ")),
)


def usual_prefixes(name: str) -> Prefixes:
    """The prefixes of a model by its name, with or without publisher and tag; none for a model not known to want any."""
    base = name.rpartition("/")[2].casefold()
    return next((prefixes for pattern, prefixes in _KNOWN if pattern.search(base)), _NONE)
