"""RAG V2's router: the search strategy for a question, by rules over its words.

The needs of a question add up. A table decides where to look first, and relations ask for the causal graph beside it, whatever else
is decided; so every strategy can be reached.
"""

import re
from dataclasses import dataclass
from functools import cache

from rag_core.language.folding import fold_words
from rag_core.language.languages import any_word, language_of
from rag_core.language.technical_terms import technical_terms
from rag_core.model.note import Language
from rag_core.model.retrieval import QueryType, RoutedStrategy
from rag_core.query.analysis import classify

MAX_ENTITIES = 10
_LEAST_CONTENT_CHARACTERS = 2
_CONFIDENCE = (0.5, 0.7, 0.85, 0.95)
"""Confidence by the number of signs for the strategy; a convention, no probability."""
_RIVAL = 0.15
"""Confidence lost where the question shows signs of another strategy."""

_TYPES: dict[str, QueryType] = {
    "comparative": "comparative",
    "when": "temporal",
    "procedural": "procedural",
    "aggregative": "aggregative",
    "who": "relational",
    "relational": "relational",
    "times": "temporal",
}
"""Signs in the order in which they decide the type."""
_SIGNS = (*_TYPES, "limits", "table", "figures", "clauses", "naming", "chains")

_QUOTED = re.compile(r"«([^«»]{1,100})»|„([^„“”]{1,100})[“”]|[\"“]([^\"“”]{1,100})[\"”]")
_CAPITAL = "".join(filter(str.isupper, map(chr, range(0x530))))
"""Capitals of the Latin, Greek and Cyrillic alphabets."""
_CAPITALISED = rf"(?<!\w)[{_CAPITAL}][\w'\u2019-]*"
_RUN = re.compile(rf"{_CAPITALISED}(?:\s+{_CAPITALISED})*")
_BETWEEN = re.compile(
    rf"(?i:{any_word(lambda words: [words.routing.between])})\s+({_CAPITALISED})\s+"
    rf"(?i:{any_word(lambda words: [words.routing.links])})\s+({_CAPITALISED})"
)
_APOSTROPHE = re.compile("['\u2019]")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryAnalysis:
    """Result of the router for a question; ``confidence`` in [0, 1] is a convention (``_CONFIDENCE``)."""

    query_type: QueryType
    entities: tuple[str, ...]
    is_multi_hop: bool
    requires_graph_refinement: bool
    requires_table: bool
    suggested_strategy: RoutedStrategy
    confidence: float


def route(query: str, *, language: Language) -> QueryAnalysis:
    """The type of a question, what it is about, and the strategy for it.

    A question of which no word can be looked up goes by its meaning alone. Then tables win, by name or where an amount is asked for,
    then what is gathered from many documents, then relations: several entities, several facts in one question, comparisons, causes
    and effects. '' is factual, and shows no word.
    """
    signs = _signs(query, language)
    entities, is_causal = entities_in(query, language=language), classify(query, language=language) == "causal"
    query_type = _query_type(signs)
    hops = signs["chains"] + (0 if signs["naming"] or query_type == "aggregative" else signs["clauses"])
    is_about_figures = not is_causal and _is_about_figures(query_type, signs)
    graph_signs = hops + is_causal + (query_type in {"relational", "comparative"}) + (len(entities) > 1)
    needs: dict[RoutedStrategy, int] = {
        "vector_only": 0 if _has_content(query, language) else 2,
        "table_focused": signs["table"] + (signs["figures"] if is_about_figures else 0),
        "multi_index": signs["aggregative"] if query_type == "aggregative" else 0,
        "hybrid_with_graph_refinement": graph_signs,
    }
    strategy: RoutedStrategy = next((name for name, count in needs.items() if count), "hybrid")
    rivals = sum(count > 0 for name, count in needs.items() if name != strategy)
    return QueryAnalysis(
        query_type=query_type,
        entities=entities,
        is_multi_hop=hops > 0,
        requires_graph_refinement=graph_signs > 0,
        requires_table=strategy == "table_focused",
        suggested_strategy=strategy,
        confidence=round(_CONFIDENCE[min(needs.get(strategy, 0), 3)] - _RIVAL * (rivals > 0), 2),
    )


def is_described(query: str, *, language: Language) -> bool:
    """True where a question tells somebody or something by what else is known of it, so that this is to be found first."""
    return route(query, language=language).is_multi_hop or bool(_patterns(language)["free"].search(fold_words(query)))


def entities_in(query: str, *, language: Language) -> tuple[str, ...]:
    """The names in a question as they are written, each once, ``MAX_ENTITIES`` at most.

    What is quoted, technical terms, and words with a capital, but no names of times: in German, where every noun has one, several in a
    row, the two of "zwischen … und …", and single ones where a noun would have an article; elsewhere not the first word alone.
    """
    quoted = [next(filter(None, groups)).strip() for groups in _QUOTED.findall(query)]
    rest = _QUOTED.sub(" ", query)
    between = [name for pair in _BETWEEN.findall(rest) for name in pair]
    bare = _written(language)["bare"].findall(rest)
    found = [*quoted, *between, *_runs(rest, language), *bare, *technical_terms(rest)]
    times = language_of(language).times
    names = dict.fromkeys(name for name in found if name and fold_words(name) not in {*times.months, *times.weekdays})
    whole = [name for name in names if not any(name != other and name in other.split() for other in names)]
    return tuple(whole[:MAX_ENTITIES])


def _runs(text: str, language: Language) -> list[str]:
    start = len(text) - len(text.lstrip(" ¿¡\n\t"))
    runs = []
    for match in _RUN.finditer(text):
        words = match[0].split()
        if match.start() == start or words[0].lower() in language_of(language).stop_words.function_words:
            words = words[1:]  # a capital because a sentence begins
        if len(words) > language_of(language).traits.has_capitalised_nouns:
            runs.append(" ".join(words))
    return runs


def _signs(query: str, language: Language) -> dict[str, int]:
    """Number of phrases of each kind in the question."""
    text, patterns, written = fold_words(_APOSTROPHE.sub(" ", query)), _patterns(language), _written(language)
    signs = {kind: len(patterns[kind].findall(text)) for kind in _SIGNS}
    signs["figures"] = len(patterns["figures"].findall(patterns["counted"].sub(" ", text)))
    signs["comparative"] += len(written["alternatives"].findall(query))
    signs["chains"] += len(written["superlatives"].findall(query))
    return signs


def _query_type(signs: dict[str, int]) -> QueryType:
    """The type by the first of its signs: what a question word asks for comes before what other words mention."""
    counted = {**signs, "aggregative": 0 if signs["limits"] else signs["aggregative"]}
    return next((kind for sign, kind in _TYPES.items() if counted[sign]), "factual")


def _is_about_figures(query_type: QueryType, signs: dict[str, int]) -> bool:
    """True where an amount may be the answer; a way, somebody or a point in time is none."""
    return query_type in {"factual", "aggregative", "comparative"} or (query_type == "temporal" and not signs["when"])


def _has_content(query: str, language: Language) -> bool:
    words, pack = _WORD.findall(query.lower()), language_of(language)
    vague = pack.routing.vague.split()
    return any(
        word not in pack.stop_words.function_words
        and fold_words(word) not in vague
        and len(word) >= _LEAST_CONTENT_CHARACTERS
        for word in words
    )


@cache
def _patterns(language: Language) -> dict[str, re.Pattern[str]]:
    wording = language_of(language).routing
    phrases = {kind: "|".join(getattr(wording, kind)) for kind in _SIGNS} | {
        "counted": wording.counted,
        "free": wording.free_clauses,
    }
    return {kind: re.compile(rf"(?<!\w)(?:{pattern})(?!\w)") for kind, pattern in phrases.items()}


@cache
def _written(language: Language) -> dict[str, re.Pattern[str]]:
    """Patterns over the question as it is written."""
    wording = language_of(language).routing
    name = rf"(?!\w*(?:{wording.noun_endings})(?!\w))({_CAPITALISED})(?![\w'\u2019-]|\s+{_CAPITALISED})"
    bare = rf"(?<!\w)(?:{wording.before_names}) {name}" if wording.before_names else r"(?!)"
    return {
        "alternatives": re.compile(rf"{_CAPITALISED},? (?:{wording.alternatives}) {_CAPITALISED}"),
        "superlatives": re.compile(rf"(?<!\w)(?:{wording.superlatives})"),
        "bare": re.compile(bare),
    }
