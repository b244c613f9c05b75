"""Terms of a query with their posting lists and weights: input of BM25."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from psycopg import sql

from rag_core.language.languages import language_of
from rag_core.language.variants import (
    COMPOUNDING,
    LEAST_COMPOUND_LETTERS,
    compound_relatives,
    lexeme_variants,
    without_question_words,
)
from rag_core.model.note import Language, TenantId
from rag_core.storage.bm25 import Family, Numbers, merge, numbers_of, word_weight
from rag_core.storage.database import Connection
from rag_core.storage.queries import query
from rag_core.storage.seen import seen_corpus

MOST_FAMILIES = 32
"""Words of a query whose lists are read, the rarest: in a long one the frequent words decide nothing and have the longest lists."""
MOST_LONGER = 100
"""German lexemes that begin as one of the query does. Whoever sees a part of the notes gets all, of which those that stand in no
seen note count for nothing: an unseen one takes no place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedLexeme:
    """A lexeme to look up; those of one family are forms of one word of the query."""

    family: int
    language: Language
    lexeme: str
    weight: float
    frequency: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """The words of a query with their lists, and the highest score that a chunk of each language could have.

    That is the sum over all words of the query, those that no chunk has included.
    """

    families: Sequence[Family]
    highest: Mapping[Language, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Corpus:
    """A language's chunks; ``seen`` are the numbers of those that are seen, None where all are."""

    documents: int
    average_length: float
    seen: Numbers | None


def fetch_terms(connection: Connection, tenant: TenantId, text: str, *, sees_all: bool) -> list[AskedLexeme]:
    """The query's lexemes in every language the tenant writes in, with the other forms of their words."""
    parameters = {
        "tenant": tenant,
        "query": without_question_words(text),
        "compounding": list(COMPOUNDING),
        "least_letters": LEAST_COMPOUND_LETTERS,
        "most_longer": MOST_LONGER if sees_all else None,
    }
    rows = connection.execute(query("analyse_query"), parameters).fetchall()
    own = {(language, lexeme) for language, lexeme, _, _ in rows}
    terms = []
    for family, (language, lexeme, frequency, longer) in enumerate(rows):
        forms = {lexeme: 1.0} | {
            form: weight
            for form, weight in _other_forms(language, lexeme, longer).items()
            if (language, form) not in own
        }
        terms += [
            AskedLexeme(family=family, language=language, lexeme=form, weight=weight, frequency=frequency)
            for form, weight in forms.items()
        ]
    return terms


def _other_forms(language: Language, lexeme: str, longer: Sequence[str]) -> dict[str, float]:
    variants = lexeme_variants(lexeme, language)
    has_compounds = bool(language_of(language).word_forms.compound_links)
    return compound_relatives(lexeme, longer) | variants if has_compounds else variants


def fetch_lists(
    connection: Connection, tenant: TenantId, terms: Sequence[AskedLexeme], *, sees_all: bool, few: int
) -> Lists:
    """The lists of the query's rarest words, of chunks that are seen; chunks of up to ``few`` notes are looked up one by one."""
    if not terms:
        return Lists(families=(), highest={})
    statement = sql.SQL(query("fetch_corpora")).format(
        counts=sql.SQL("") if sees_all else seen_corpus(few=few),
        numbers=sql.SQL("null" if sees_all else query("numbers_seen")),
    )
    parameters = {
        "tenant": tenant,
        "families": [term.family for term in terms],
        "term_languages": [term.language for term in terms],
        "lexemes": [term.lexeme for term in terms],
        "most_families": MOST_FAMILIES if sees_all else None,
    }
    counted = connection.execute(statement, {"tenant": tenant}, binary=True)
    blocks = connection.execute(query("fetch_postings"), parameters, binary=True)
    corpora = {
        language: _Corpus(
            documents=documents,
            average_length=average_length,
            seen=None if seen is None else np.frombuffer(seen, dtype=">i4").astype(np.int64),
        )
        for language, documents, average_length, seen in counted.fetchall()
    }
    return _lists(terms, blocks.fetchall(), corpora)


def _lists(terms: Sequence[AskedLexeme], rows: Sequence[tuple[Any, ...]], corpora: Mapping[Language, _Corpus]) -> Lists:
    frequencies: dict[int, int] = {}
    blocks: defaultdict[tuple[int, bool], list[bytes]] = defaultdict(list)
    for at, frequency, is_added, packed in rows:
        frequencies[at] = frequency
        if packed is not None:
            blocks[at, is_added].append(packed)
    words: defaultdict[int, list[tuple[AskedLexeme, int, Numbers]]] = defaultdict(list)
    for at, term in enumerate(terms):
        if term.language in corpora:
            seen = corpora[term.language].seen
            postings, frequency = merge(blocks[at, True], blocks[at, False]), frequencies[at]
            if seen is not None:
                postings = postings[np.isin(numbers_of(postings), seen)]
                frequency = len(postings)
            words[term.family].append((term, frequency, postings))
    families: list[tuple[int, Family]] = []
    highest: defaultdict[Language, float] = defaultdict(float)
    for forms in words.values():
        term, frequency = forms[0][0], sum(frequency for _, frequency, _ in forms)
        corpus = corpora[term.language]
        weight = word_weight(corpus.documents, frequency, repetitions=term.frequency)
        highest[term.language] += weight
        if frequency:
            lists = [(form.weight, postings) for form, _, postings in forms]
            families.append((frequency, Family(weight=weight, average_length=corpus.average_length, lists=lists)))
    rarest = sorted(families, key=lambda one: one[0])[:MOST_FAMILIES]
    return Lists(families=[family for _, family in rarest], highest=highest)
