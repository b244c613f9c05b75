"""Which names are the same thing: keys of names, scores of pairs, blocks of names that are worth comparing. Pure.

A score is at least ``SAME`` where two names are one thing. Digits must agree, so "A1" is not "A2" and "Q1 2026" not "Q2 2026"; a
person's surname and first name must too, or the first name's initial: one letter that differs makes another person.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest
from typing import Literal
from uuid import UUID

from rag_core.graph.name_evidence import all_particles, folded, given_names, without_legal_form
from rag_core.graph.parsed_names import date_key, email_name, money_key
from rag_core.language import LANGUAGES
from rag_core.language.languages import language_of
from rag_core.language.names import PARTICLE_ABBREVIATIONS
from rag_core.model.entity import EntityKind, NamedMention
from rag_core.model.note import Language

SAME = 0.85
MAX_KEY_CHARACTERS = 160
MAX_COMPARED = 50
"""Names of one block that a name is compared with."""
SameBy = Literal["exact", "initials", "surname", "first name", "legal form", "acronym", "spelling"]
_UMLAUTS = re.compile(r"(?<=[aou])e")
_JOINERS = frozenset(
    [
        "and",
        "und",
        "y",
        "e",
        "of",
        "de",
        "del",
        "la",
        "las",
        "los",
        "el",
        "the",
        "der",
        "die",
        "das",
        "des",
        "fur",
        "for",
        "&",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """Score of two names being one thing, and the rule that gives it."""

    score: float
    by: SameBy


@dataclass(frozen=True, slots=True, kw_only=True)
class _Person:
    first: tuple[str, ...]
    """First names or their initials."""
    last: str
    """Surname with particles, without spaces."""


def name_key(kind: EntityKind, name: str, language: Language) -> str:
    """A name as it is stored and compared: of dates and amounts their value, of persons the first name first; never ''."""
    if kind == "DATE":
        return date_key(name, language) or folded(name)
    if kind == "MONEY":
        return money_key(name, language) or folded(name)
    if kind == "PERSON":
        return " ".join(_person_words(name))[:MAX_KEY_CHARACTERS] or folded(name)
    return _plain(name)[:MAX_KEY_CHARACTERS] or folded(name) or name


def likeness(kind: EntityKind, one: str, other: str) -> Likeness | None:
    """Likeness of two keys of a kind are; None where they are two things."""
    if one == other:
        return Likeness(score=1.0, by="exact")
    if kind in {"DATE", "MONEY", "PROJECT", "PRODUCT", "DOCUMENT"} or re.findall(r"\d+", one) != re.findall(
        r"\d+", other
    ):
        return None
    if kind == "PERSON":
        return _same_person(_person(one), _person(other))
    return _same_body(one, other, is_law=kind == "REGULATION")


def blocks(kind: EntityKind, key: str) -> list[str]:
    """Words that a key shares with every key that may be the same; none where only an equal one is."""
    if kind == "PERSON":
        person = _person(key)
        return sorted({person.last, *(word for word in person.first if len(word) > 1)} - {""})
    if kind == "REGULATION":
        return ["="]
    if kind in {"ORG", "LOCATION"}:
        words = [word for word in _body(key) if len(word) > 2]
        return sorted(
            {*words[:6], *(f"={short}" for short in _initials(key)), *([f"={key}"] if _is_short(key) else [])}
        )
    return key.split()[:1] if kind in {"PROJECT", "PRODUCT"} else []


def joined(kind: EntityKind, key: str, known: Sequence[tuple[str, UUID]]) -> tuple[UUID, Likeness] | None:
    """The one entity that a new key is a name of, by names that share a block with it; None where there is none, or are several.

    An entity is out of the question where one of its names is a whole one and another's: "Ana Ferrer" is not "Ferrer" if that is "Tomás
    Ferrer" already.
    """
    best: dict[UUID, Likeness] = {}
    others: set[UUID] = set()
    for name, entity in known:
        found = likeness(kind, key, name)
        if found is None:
            if kind == "PERSON" and _is_whole(name) and _is_whole(key):
                others.add(entity)
        elif entity not in best or found.score > best[entity].score:
            best[entity] = found
    left = [(entity, found) for entity, found in best.items() if entity not in others and found.score >= SAME]
    return left[0] if len(left) == 1 else None


def _is_whole(key: str) -> bool:
    person = _person(key)
    return bool(person.first and person.last)


def linked_in_note(mentions: Sequence[NamedMention], language: Language) -> list[NamedMention]:
    """The mentions with the fullest name that the note has for each person and organisation: "Birgit" is its one Birgit Lohmann."""
    keys = [name_key(one.kind, one.name, language) for one in mentions]
    names = {(one.kind, key): one.name for one, key in zip(reversed(mentions), reversed(keys), strict=True)}
    by_block: dict[tuple[EntityKind, str], list[str]] = {}
    for kind, key in names:
        for block in blocks(kind, key) if kind in {"PERSON", "ORG"} else ():
            by_block.setdefault((kind, block), []).append(key)
    fullest = {(kind, key): names[kind, _fullest(kind, key, by_block)] for kind, key in names}
    return [replace(one, name=fullest[one.kind, key]) for one, key in zip(mentions, keys, strict=True)]


def _fullest(kind: EntityKind, key: str, by_block: Mapping[tuple[EntityKind, str], Sequence[str]]) -> str:
    """The longest key that is the same, if all longer ones are the same as it."""
    near = [other for block in blocks(kind, key) for other in by_block.get((kind, block), ())[:MAX_COMPARED]]
    fuller = {other for other in near if len(other) > len(key) and likeness(kind, key, other)}
    longest = max(sorted(fuller), key=len, default=key)
    return longest if all(likeness(kind, longest, other) for other in fuller) else key


@lru_cache(maxsize=20_000)
def _person(key: str) -> _Person:
    words = key.split()
    particle = next((index for index, word in enumerate(words) if word in all_particles()), None)
    if particle is not None and particle < len(words) - 1:
        return _Person(first=tuple(words[:particle]), last="".join(words[particle:]))
    if len(words) == 1:
        is_first = words[0] in _given_keys()
        return _Person(first=(words[0],), last="") if is_first else _Person(first=(), last=words[0])
    count = 1
    while count < len(words) - 1 and (len(words[count]) == 1 or words[count] in _given_keys()):
        count += 1
    return _Person(first=tuple(words[:count]), last="".join(words[count:]))


@lru_cache(maxsize=1)
def _given_keys() -> frozenset[str]:
    return frozenset(_shortened(name) for language in LANGUAGES for name in given_names(language))


def _person_words(name: str) -> list[str]:
    name = email_name(name) or name
    last, comma, first = name.partition(",")
    text = f"{first} {last}" if comma else name
    titles = {title for language in LANGUAGES for title in language_of(language).names.titles}
    spaced = folded(re.sub(r"(?<=\w)\.(?=\w)", ". ", text))
    words = [PARTICLE_ABBREVIATIONS.get(word, word) if word.endswith(".") else word for word in spaced.split()]
    bare = [_shortened(word.strip(".,")) for word in words]
    return [
        word
        for index, word in enumerate(bare)
        if word and not (word in titles and index < len(bare) - 1 and len(word) > 1)
    ]


def _shortened(word: str) -> str:
    """A word with "ae" as "a" and so on, as an umlaut without its dots is."""
    return _UMLAUTS.sub("", word)


def _plain(name: str) -> str:
    return " ".join(_shortened(word) for word in re.findall(r"[\w&]+", folded(name.replace("'", ""))))


def _same_person(one: _Person, other: _Person) -> Likeness | None:
    if not one.last or not other.last:
        shorter, longer = (one, other) if not one.last else (other, one)
        is_same = bool(shorter.first) and shorter.first[0] in longer.first[:1] and len(shorter.first[0]) > 1
        return Likeness(score=0.85, by="first name") if is_same else None
    if one.last != other.last:
        return None
    if not one.first or not other.first:
        return Likeness(score=0.86, by="surname")
    pairs = list(zip_longest(one.first, other.first))
    if not all(_agree(a, b) for a, b in pairs if a and b):
        return None
    has_initials = any(a and b and a != b for a, b in pairs)
    return Likeness(score=0.92 if has_initials else 0.95, by="initials" if has_initials else "spelling")


def _agree(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) == 1 and one[0] == other[0])


@lru_cache(maxsize=20_000)
def _body(key: str) -> tuple[str, ...]:
    return tuple(word for word in _plain(without_legal_form(key)).split() if word not in _JOINERS)


def _legal_form(key: str) -> str:
    return key[len(without_legal_form(key)) :]


def _same_body(one: str, other: str, *, is_law: bool) -> Likeness | None:
    forms = {_plain(_legal_form(key)).replace(" ", "") for key in (one, other)} - {""}
    if len(forms) > 1:
        return None
    words, others = _body(one), _body(other)
    if words == others and words:
        return Likeness(score=0.95, by="legal form" if forms else "spelling")
    for short, long in ((one, other), (other, one)):
        if _is_short(without_legal_form(short)) and _stands_for("".join(_body(short)), long, is_law=is_law):
            return Likeness(score=0.9, by="acronym")
    return Likeness(score=0.88, by="spelling") if _is_typo(words, others) else None


def _is_short(key: str) -> bool:
    return " " not in key.strip() and 2 <= len(key.strip()) <= 7


def _initials(key: str) -> set[str]:
    """Acronyms of a name of several words; a short first word stands whole in it ("HM Revenue and Customs")."""
    words = _body(key)
    if len(words) < 2:
        return set()
    letters = "".join(word[0] for word in words)
    return {letters, words[0] + letters[1:]} if len(words[0]) <= 3 else {letters}


def _stands_for(short: str, long: str, *, is_law: bool) -> bool:
    if short in _initials(long):
        return True
    words = "".join(_body(long))
    return (
        is_law and len(_body(long)) <= 2 and len(short) >= 3 and len(words) > 3 * len(short) and _is_drawn(short, words)
    )


def _is_drawn(short: str, word: str) -> bool:
    """Test whether the letters stand in the word in their order, beginning with its first."""
    letters = iter(word)
    return short[0] == word[0] and all(letter in letters for letter in short)


def _is_typo(words: Sequence[str], others: Sequence[str]) -> bool:
    """Test whether names of several words differ in one letter too many, too few or exchanged with the next, in one long word."""
    differing = [(a, b) for a, b in zip(words, others, strict=False) if a != b]
    if len(words) != len(others) or len(words) < 2 or len(differing) != 1:
        return False
    a, b = sorted(differing[0], key=len)
    if len(a) < 5 or a[0] != b[0] or {a, b} & _places():
        return False
    if len(b) == len(a) + 1:
        return any(b[:place] + b[place + 1 :] == a for place in range(len(b)))
    return any(a[:place] + a[place + 1] + a[place] + a[place + 2 :] == b for place in range(len(a) - 1)) and len(
        a
    ) == len(b)


@lru_cache(maxsize=1)
def _places() -> frozenset[str]:
    return frozenset(_shortened(place) for language in LANGUAGES for place in language_of(language).names.places)
