"""Noun phrases of a question, with the preposition and the article before each. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from rag_core.language.content_words import content_of
from rag_core.language.languages import language_of
from rag_core.model.note import Language

Kind = Literal["name", "determined", "bare"]

_WORD = re.compile(r"\w(?:[\w-]|['\u2019](?=\w))*")
_GERMAN_ADJECTIVE = re.compile(r"[a-zäöüß-]+e[mnrs]?")
_POSSESSIVE = ("'s", "\u2019s")
_LONGEST = 6
_MOST_DETERMINERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word of a text and where it stands in it."""

    text: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """As word lists have it."""
        return self.text.lower()

    @property
    def is_capitalised(self) -> bool:
        """True if it begins with a capital letter."""
        return self.text[0].isupper()


@dataclass(frozen=True, slots=True, kw_only=True)
class NounPhrase:
    """A noun phrase: ``text[start:end]`` with its preposition, ``text[noun_start:end]`` without.

    ``preposition`` is without the article drawn into it; '' where there is none. ``is_asked``: it is what the question asks for
    ("which books"), so nothing that was known before; its ``noun_start`` is behind the asking word.
    """

    start: int
    noun_start: int
    end: int
    preposition: str
    kind: Kind
    head: tuple[str, ...]
    is_asked: bool = False


def words_of(text: str) -> list[Word]:
    """The words of a text in their order."""
    return [Word(text=match[0], start=match.start(), end=match.end()) for match in _WORD.finditer(text)]


def is_preposition(word: Word, language: Language) -> bool:
    """Test whether a word is a preposition, also one drawn together with an article."""
    return (
        word.key in language_of(language).stop_words.prepositions
        or word.key in language_of(language).stop_words.contractions
    )


def phrases_of(text: str, language: Language, *, outside: Sequence[tuple[int, int]] = ()) -> list[NounPhrase]:
    """Noun phrases from left to right, none overlapping, and none within the stretches ``outside``.

    A noun is known by the article or preposition before it, or by its capital letter, and so is missed without any.
    """
    words = [word for word in words_of(text) if not any(start <= word.start < end for start, end in outside)]
    return list(_phrases(text, words, language))


def _phrases(text: str, words: Sequence[Word], language: Language) -> Iterator[NounPhrase]:
    at = 0
    while at < len(words):
        found = _phrase(text, words, at, language)
        if found is None:
            at += 1
            continue
        yield found
        while at < len(words) and words[at].start < found.end:
            at += 1


def _phrase(text: str, words: Sequence[Word], at: int, language: Language) -> NounPhrase | None:
    """The phrase that begins with a word, if one does."""
    preposition = _preposition(words[at], language)
    noun = at + bool(preposition)
    head = noun
    while (
        head < min(len(words), noun + _MOST_DETERMINERS)
        and words[head].key in language_of(language).stop_words.determiners
    ):
        head += 1
    is_asked = head < len(words) and words[head].key in language_of(language).follow_ups.asking_for_a_noun
    head += is_asked
    is_marked = head > at
    if head >= len(words) or not _is_joined(text, words[at : head + 1]):
        return None
    before = words[at - 1].key if at else ""
    nouns = _nouns(text, words, head, language, is_marked=is_marked, is_asked=is_asked, before=before)
    if not nouns:
        return None
    return NounPhrase(
        start=words[at].start,
        noun_start=nouns[0].start if is_asked else words[noun].start,
        end=nouns[-1].end,
        preposition=preposition,
        kind=_kind(
            nouns[0],
            language,
            is_determined=head > noun + is_asked or (bool(preposition) and preposition != words[at].key),
        ),
        head=tuple(word.key for word in nouns),
        is_asked=is_asked,
    )


def _preposition(word: Word, language: Language) -> str:
    """The preposition that a word is, without the article drawn into it; '' where it is none."""
    plain = language_of(language).stop_words.contractions.get(word.key, word.key)
    return plain if plain in language_of(language).stop_words.prepositions else ""


def _kind(noun: Word, language: Language, *, is_determined: bool) -> Kind:
    if is_determined:
        return "determined"
    return "name" if noun.is_capitalised and not language_of(language).traits.has_capitalised_nouns else "bare"


def _nouns(
    text: str,
    words: Sequence[Word],
    at: int,
    language: Language,
    *,
    is_marked: bool,
    is_asked: bool,
    before: str,
) -> list[Word]:
    """The words of the noun itself, [] where there is none."""
    run = _run(text, words, at, language)
    if not run or (not is_marked and (at == 0 or not run[0].is_capitalised)):
        return []
    if language_of(language).traits.has_capitalised_nouns:
        return _german_nouns(run)
    if run[0].is_capitalised:
        return _name(run)
    if (
        language_of(language).traits.has_verb_after_subject
        and before in language_of(language).follow_ups.auxiliaries
        and len(run) > 1
    ):
        return run[:-1]
    described = _described(run, language)
    return described[:1] if is_asked and language_of(language).traits.has_head_first else described


def _run(text: str, words: Sequence[Word], at: int, language: Language) -> list[Word]:
    """Content words from there on with nothing but blanks between them."""
    run: list[Word] = []
    for word in words[at : at + _LONGEST]:
        is_content = (
            bool(content_of(word.text, language)) and word.key not in language_of(language).follow_ups.asking_words
        )
        if not is_content or not _is_joined(text, [*run[-1:], word]):
            break
        run.append(word)
    return run


def _name(run: Sequence[Word]) -> list[Word]:
    """Words with capital letters, and behind a genitive the noun it belongs to."""
    name = [run[0]]
    for word in run[1:]:
        if not word.is_capitalised and not name[-1].text.endswith(_POSSESSIVE):
            break
        name.append(word)
    return name


def _german_nouns(run: Sequence[Word]) -> list[Word]:
    """Adjectives and the nouns behind them; who writes without capitals is taken to name one word."""
    first = next((i for i, word in enumerate(run) if word.is_capitalised), None)
    if first is None:
        return [run[0]] if len(run) == 1 or not _GERMAN_ADJECTIVE.fullmatch(run[0].text) else []
    if not all(_GERMAN_ADJECTIVE.fullmatch(word.text) for word in run[:first]):
        return []
    last = next((i for i, word in enumerate(run) if i > first and not word.is_capitalised), len(run))
    return list(run[:last])


def _described(run: Sequence[Word], language: Language) -> list[Word]:
    """A noun and what is beside it, and a name behind them ("la doctora Vidal"), up to a verb."""
    nouns: list[Word] = []
    for word in run:
        is_verb = bool(nouns) and language_of(language).follow_ups.past_verb.fullmatch(word.text) is not None
        if is_verb or (len(nouns) >= language_of(language).follow_ups.most_nouns and not word.is_capitalised):
            break
        nouns.append(word)
    return nouns


def _is_joined(text: str, words: Sequence[Word]) -> bool:
    """Test whether nothing but blanks parts neighbouring words."""
    return all(text[left.end : right.start].isspace() for left, right in pairwise(words))
