"""The words of causality in a language (``rag_core.language.causality``) as compiled patterns, and the text they read."""

import re
from dataclasses import dataclass
from functools import cache

from rag_core.language.causality import CausalCue, CausalLanguage
from rag_core.language.languages import language_of
from rag_core.model.note import Language


@dataclass(frozen=True, slots=True)
class Grammar:
    """A language's patterns, compiled."""

    cues: tuple[tuple[CausalCue, re.Pattern[str], re.Pattern[str]], ...]
    denied: re.Pattern[str]
    supposed: re.Pattern[str]
    hedge: re.Pattern[str]
    nothing: re.Pattern[str]
    reflexive: re.Pattern[str]
    anaphor: re.Pattern[str]
    antecedent: re.Pattern[str]
    main_clause: re.Pattern[str]
    opening: re.Pattern[str]
    closing: re.Pattern[str]
    pointer: re.Pattern[str]
    relative_start: re.Pattern[str]
    relative_end: re.Pattern[str]
    adjunct: re.Pattern[str]
    joining: re.Pattern[str]
    joined: re.Pattern[str]
    subordinator: re.Pattern[str]
    reporting: re.Pattern[str]
    lead: re.Pattern[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A text with the language it is read by."""

    text: str
    language: Language
    grammar: Grammar


@cache
def grammar_of(language: Language) -> Grammar:
    """The patterns of a language."""
    pack: CausalLanguage = language_of(language).causality
    return Grammar(
        cues=tuple((cue, _words(cue.pattern), re.compile(cue.needs, re.IGNORECASE | re.DOTALL)) for cue in pack.cues),
        denied=re.compile(rf"{pack.negation}\s*$", re.IGNORECASE),
        supposed=re.compile(pack.conditional, re.IGNORECASE),
        hedge=re.compile(pack.hedge, re.IGNORECASE),
        nothing=re.compile(rf"\s*{pack.nothing}(?!\w)", re.IGNORECASE),
        reflexive=re.compile(pack.reflexive, re.IGNORECASE),
        anaphor=re.compile(pack.anaphor, re.IGNORECASE),
        antecedent=re.compile(pack.antecedent, re.IGNORECASE),
        main_clause=re.compile(pack.main_clause, re.IGNORECASE),
        relative_end=re.compile(rf"(?<!\w){pack.relative}\s+(?:\w{{2,3}}\s+)?$", re.IGNORECASE),
        opening=re.compile(rf"{pack.opening}(?!\w)", re.IGNORECASE),
        closing=re.compile(rf"(?<!\w){pack.closing}$", re.IGNORECASE),
        pointer=re.compile(pack.pronoun, re.IGNORECASE),
        relative_start=re.compile(rf"{pack.relative}(?!\w)", re.IGNORECASE),
        adjunct=re.compile(rf"{pack.adjunct}(?!\w)", re.IGNORECASE),
        joining=re.compile(pack.joining, re.IGNORECASE),
        joined=re.compile(rf"(?<!\w){pack.joining}\s*$", re.IGNORECASE),
        subordinator=_words(pack.subordinator),
        reporting=_words(pack.reporting),
        lead=re.compile(rf"\W*(?:{pack.opening}\s+)?\W*", re.IGNORECASE),
    )


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)
