"""The intent of a query, and whether it asks for causes or for effects."""

import re
from dataclasses import dataclass
from functools import cache

from rag_core.language.folding import fold_words
from rag_core.language.intents import IntentWording
from rag_core.language.languages import language_of
from rag_core.model.graph import CausalDirection
from rag_core.model.note import Language
from rag_core.model.retrieval import Intent

_ORDER: tuple[Intent, ...] = ("causal", "temporal", "comparative", "factual")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Patterns:
    accented: frozenset[str]
    idioms: re.Pattern[str]
    intents: tuple[tuple[Intent, re.Pattern[str]], ...]
    why: re.Pattern[str]
    effects: re.Pattern[str]


def classify(query: str, *, language: Language) -> Intent:
    """The query's intent: the first of causal, temporal, comparative, factual whose words occur in it, else abstract.

    Whole words and phrases, whatever their case; a missing accent is forgiven where the word cannot mean another thing.
    So "que", "cuando", "donde", "cual", "when" and "who" count only where a question begins. '' is abstract.
    """
    patterns = _patterns(language)
    text = _without_idioms(query, patterns)
    return next((intent for intent, pattern in patterns.intents if pattern.search(text)), "abstract")


def causal_direction(query: str, *, language: Language) -> CausalDirection | None:
    """Tell whether a causal query asks for "causes" or "effects"; None for other queries.

    "¿Qué provoca X?" can mean both. The verb decides where it can: in the plural "qué" must be its object, so that effects
    are asked for ("¿Qué provocan las tormentas?"); an infinitive behind it is its subject ("¿Qué provoca dormir
    poco?"). Otherwise "qué" is read as the subject, and causes are asked for. "Was verursacht X?" likewise.
    """
    if classify(query, language=language) != "causal":
        return None
    patterns = _patterns(language)
    text = _without_idioms(query, patterns)
    if patterns.why.search(text):
        return "causes"
    return "effects" if patterns.effects.search(text) else "causes"


def _without_idioms(query: str, patterns: _Patterns) -> str:
    return patterns.idioms.sub(" \N{MIDDLE DOT} ", fold_words(query, kept=patterns.accented))


@cache
def _patterns(language: Language) -> _Patterns:
    wording = language_of(language).intents
    asked = wording.question_words.get("causal")
    return _Patterns(
        accented=wording.accented,
        idioms=_whole_words(*wording.idioms),
        intents=tuple((intent, _whole_words(*_alternatives(wording, intent))) for intent in _ORDER),
        why=_whole_words(*wording.why, *([_where_a_question_begins(wording, asked)] if asked else [])),
        effects=_whole_words(*wording.effects),
    )


def _alternatives(wording: IntentWording, intent: Intent) -> list[str]:
    asked = wording.question_words.get(intent)
    return [*wording.phrases[intent], *([_where_a_question_begins(wording, asked)] if asked else [])]


def _where_a_question_begins(wording: IntentWording, words: str) -> str:
    beginning = rf"(?:^|¿)[^\w¿]*(?:(?:{wording.openers})\W+){{0,3}}"
    return rf"(?:{beginning}|(?:{wording.asking}),? )(?:{words})"


def _whole_words(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!\w)")
