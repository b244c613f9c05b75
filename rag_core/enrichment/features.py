"""Features by which the type of a document is told: its words, and the form of its lines."""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import log1p, sqrt

from rag_core.enrichment.reading import ReadText, pairs
from rag_core.language.languages import language_of
from rag_core.language.stemming import stems_of
from rag_core.model.enrichment import DOCUMENT_TYPES, DocumentType
from rag_core.model.note import Language

TYPE_CHARACTERS = 2_000
"""A document says at its beginning what it is; in all of a long one stands a word for every type."""
_TYPES = tuple(kind for kind in DOCUMENT_TYPES if kind != "other")
_FORM = (
    "amounts",
    "digits",
    "bullets",
    "numbered",
    "headings",
    "breaks",
    "short_lines",
    "fields",
    "greeting",
    "closing",
    "units",
    "codes",
    "paragraph_signs",
    "questions",
    "obligations",
    "first_person",
    "second_person",
    "vocative",
    "days",
    "unpunctuated",
)
FEATURES = (*(f"words_{kind}" for kind in _TYPES), *(f"first_{kind}" for kind in _TYPES), *_FORM)
_AMOUNT = re.compile(r"\d(?:[.,]\d\d(?!\d)|\s?(?:[€$£]|EUR\b|USD\b|GBP\b|[Ee]uros?\b))|[€$£]\s?\d")
_BULLET = re.compile(r"\s*[-*+•▪\u2013]\s+\S")
_NUMBERED = re.compile(r"\s*(?:\(?\d{1,2}[.)]|§\s?\d+|\w{5,8}\.)\s")
_BREAK = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,})\s*$")
_FIELD = re.compile(r"[^\W\d_][\w /.-]{0,24}:\s+\S")
_UNIT = re.compile(
    r"\d\s?(?:[mkcµ]?m[²³]?|[mk]?g|m?l|[kM]?W|kWh|m?V|m?A|Ah|[kMG]?Hz|°C|dB|rpm|[mµ]?s|[KMG]i?B|bar|N|bits?|bytes?)\b"
)
_CODE = re.compile(r"`[^`\n]+`|\b0x[0-9a-fA-F]+|\b[A-Z]{2,}[- ]?\d+\b|±|Ø|\u00d7")
_DIGIT = re.compile(r"\d")
_VOCATIVE = re.compile(r"\s*(?:[^\W\d_]\w*\.?\s){0,4}[^\W\d_]\w*[,:]")
_SHORT = 40
_ENDING = frozenset(".:;!?…")
_WORD_COUNT_OF_A_LINE = 6
_FEW_WORDS = 16


def features_of(whole: ReadText, title: str | None) -> list[float]:
    """One number for each of ``FEATURES``, from the first ``TYPE_CHARACTERS``; an empty text has 0 everywhere."""
    read = _beginning(whole)
    seen = [*read.stems, *pairs(read.stems)]
    lines = [line for line in read.text.split("\n") if line.strip() and not line.lstrip().startswith("|")]
    first = stems_of(_words(title or (lines[0] if lines else "")), read.language)
    different = set(seen)
    seen_first = {*first, *pairs(first)}
    cues, size = _cues(read.language), sqrt(max(len(read.words), _FEW_WORDS))
    return [
        *(len(cues[kind] & different) / size for kind in _TYPES),
        *(float(bool(cues[kind] & seen_first)) for kind in _TYPES),
        *_form(read, lines, seen),
    ]


def _beginning(read: ReadText) -> ReadText:
    end = bisect_left(read.starts, TYPE_CHARACTERS)
    return replace(
        read, text=read.text[:TYPE_CHARACTERS], starts=read.starts[:end], words=read.words[:end], stems=read.stems[:end]
    )


def _form(read: ReadText, lines: Sequence[str], seen: Sequence[str]) -> list[float]:
    text, count, of_words = read.text, max(len(lines), 1), max(len(read.words), 1)
    words = language_of(read.language)
    personal, addressing = words.document_types.first_person, words.document_types.second_person
    obliging, days = _obligations(read.language), _weekdays(read.language)
    values: Mapping[str, float] = {
        "amounts": log1p(len(_AMOUNT.findall(text))),
        "digits": len(_DIGIT.findall(text)) / max(len(text), 1),
        "bullets": sum(map(bool, map(_BULLET.match, lines))) / count,
        "numbered": sum(map(bool, map(_NUMBERED.match, lines))) / count,
        "headings": log1p(sum(line.startswith("#") for line in lines)),
        "breaks": log1p(sum(map(bool, map(_BREAK.match, lines)))),
        "short_lines": sum(len(line) < _SHORT and line[0] != "#" for line in lines) / count,
        "fields": sum(map(bool, map(_FIELD.match, lines))) / count,
        "greeting": float(any(_is_greeting(line) for line in lines[:6])),
        "closing": float(any(_is_greeting(line) for line in lines[-3:-1])),
        "units": log1p(len(_UNIT.findall(text))),
        "codes": log1p(len(_CODE.findall(text))),
        "paragraph_signs": log1p(text.count("§")),
        "questions": log1p(text.count("?")),
        "obligations": 10 * _count(seen, obliging) / of_words,
        "second_person": 10 * _count(read.words, addressing) / of_words,
        "vocative": float(bool(_VOCATIVE.match(text))),
        "days": 10 * _count(read.words, days) / of_words,
        "unpunctuated": sum(line.rstrip()[-1:] not in _ENDING for line in lines) / count,
        "first_person": 10 * _count(read.words, personal) / of_words,
    }
    return [values[name] for name in _FORM]


def _count(words: Sequence[str], wanted: frozenset[str]) -> int:
    return len([word for word in words if word in wanted])


def _is_greeting(line: str) -> bool:
    return line.rstrip()[-1:] in {",", ":"} and len(line.split()) <= _WORD_COUNT_OF_A_LINE and line[0].isalpha()


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.lower())


@cache
def _cues(language: Language) -> Mapping[DocumentType, frozenset[str]]:
    words = language_of(language).document_types.words
    return {kind: _stemmed(words[kind], language) for kind in _TYPES}


@cache
def _obligations(language: Language) -> frozenset[str]:
    return _stemmed(language_of(language).document_types.obligations, language)


@cache
def _weekdays(language: Language) -> frozenset[str]:
    return frozenset(name.lower() for name in language_of(language).times.weekday_names)


def _stemmed(words: frozenset[str], language: Language) -> frozenset[str]:
    return frozenset("_".join(stems_of(word.split("_"), language)) for word in words)
