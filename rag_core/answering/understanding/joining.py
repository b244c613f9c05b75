"""A further question put together with the one before it, by rules. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce

from rag_core.answering.understanding.going_on import (
    is_follow_up,
    is_question,
    points_back,
    without_opening,
)
from rag_core.answering.understanding.noun_phrases import NounPhrase, phrases_of, words_of
from rag_core.language.content_words import content_of
from rag_core.language.languages import language_of
from rag_core.model.note import Language
from rag_core.query.time_expressions import find_times, strip_times

KEPT_WORDS = 8
READ_CHARACTERS = 2_000
"""Maximum number of characters read of an earlier question."""
_TOPIC = re.compile(r"(?P<asked>.*\S) \((?P<topic>[^()]+)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicQuestion:
    """A question, and words of the questions before it that it is about."""

    text: str
    topic: tuple[str, ...] = ()

    def __str__(self) -> str:
        """As it is searched: "when did I meet him? (Jonas Weber)"."""
        return f"{self.text} ({' '.join(self.topic)})" if self.topic else self.text


def by_rules(question: str, earlier: Sequence[str], *, language: Language, now: datetime) -> str:
    """The question made whole with those before it, the oldest first, each as it was asked or as it was made whole.

    A part of a question takes the place of what it is the counterpart of in the one before: a time that of its times, "mit Anna"
    that of "mit Jonas", a name that of a name. What points back or says nothing by itself stays as it is, and the words of the
    question before stand beside it.
    """

    def joined(before: TopicQuestion, text: str) -> TopicQuestion:
        asked = _parted(text)
        if asked.topic or not is_follow_up(text, language, now=now):
            return asked
        return _joined(text, before, language=language, now=now)

    before = reduce(joined, earlier[1:], _parted(earlier[0]))
    return str(_joined(question, before, language=language, now=now))


def _parted(text: str) -> TopicQuestion:
    """A question that was made whole as what was asked and what stands beside it."""
    text = text[:READ_CHARACTERS]
    match = _TOPIC.fullmatch(text)
    return (
        TopicQuestion(text=match["asked"], topic=tuple(match["topic"].split())) if match else TopicQuestion(text=text)
    )


def _joined(question: str, before: TopicQuestion, *, language: Language, now: datetime) -> TopicQuestion:
    new = without_opening(question, language).strip(" ?¿!¡.,")
    times = find_times(question, now=now, language=language)
    if times:
        before = replace(before, text=strip_times(before.text, find_times(before.text, now=now, language=language)))
    if not new or _is_whole(new, language, now=now):
        return _beside(question, before, language)
    return _with_part(new, before, language=language, now=now)


def _is_whole(new: str, language: Language, *, now: datetime) -> bool:
    """Test whether it stays as it is, with words of the question before beside it."""
    return is_question(new, language) or points_back(new, language, now=now)


def _with_part(new: str, before: TopicQuestion, *, language: Language, now: datetime) -> TopicQuestion:
    """The question before with the part put in, its time at the end."""
    times = find_times(new, now=now, language=language)
    part = language_of(language).follow_ups.noun_stand_in.sub("", strip_times(new, times), count=1)
    whole = _with_noun(part, before, language=language, now=now) if part else before
    return reduce(_at_end, (f" {new[slice(*time.span)]}" for time in times), whole)


def _with_noun(part: str, before: TopicQuestion, *, language: Language, now: datetime) -> TopicQuestion:
    phrase = _as_phrase(part, language)
    if _is_of_topic(phrase, before):
        return _with_topic(part, phrase, before)
    spans = [found.span for found in find_times(before.text, now=now, language=language)]
    phrases = phrases_of(before.text, language, outside=spans)
    if (old := _counterpart(phrase, phrases)) is not None:
        return replace(before, text=_replaced(part, phrase, old, before.text, language))
    if phrase.kind != "determined" and not phrase.preposition and before.topic:
        return _with_topic(part, phrase, before)
    return _at_end(before, f" {part}" if phrase.preposition else f", {part}")


def _as_phrase(part: str, language: Language) -> NounPhrase:
    """The noun phrase that the part is; a word without article or capital letter is one too."""
    # A capital at the beginning of a text tells nothing, behind another word it does.
    lead = "x; "
    found = [phrase for phrase in phrases_of(f"{lead}{part}", language) if phrase.start == len(lead)]
    if found:
        noun_start = found[0].noun_start - len(lead)
        return replace(found[0], start=0, noun_start=noun_start, end=len(part), is_asked=False)
    head = tuple(word.key for word in words_of(part))
    return NounPhrase(start=0, noun_start=0, end=len(part), preposition="", kind="bare", head=head)


def _with_topic(part: str, phrase: NounPhrase, before: TopicQuestion) -> TopicQuestion:
    """The question before with the phrase in place of the names that it was about."""
    kept = [word for word in before.topic if not word[0].isupper() and word.lower() not in phrase.head]
    return replace(before, topic=(*kept, *part[phrase.noun_start :].split()))


def _is_of_topic(phrase: NounPhrase, before: TopicQuestion) -> bool:
    """Test whether the topic names one of the same sort: "das Projekt Zephyr" after "(Projekt Apollo)"."""
    return not set(phrase.head).isdisjoint(word.lower() for word in before.topic)


def _counterpart(new: NounPhrase, known: Sequence[NounPhrase]) -> NounPhrase | None:
    """The phrase that the new one replaces; where several could be meant, the last."""
    said = [phrase for phrase in known if not phrase.is_asked]
    for is_meant in _likenesses(new):
        if found := [phrase for phrase in said if is_meant(phrase)]:
            return found[-1]
    asked = [phrase for phrase in known if phrase.is_asked]
    return asked[-1] if asked and new.kind == "bare" and not new.preposition else None


def _likenesses(new: NounPhrase) -> Iterator[Callable[[NounPhrase], bool]]:
    """Tests of a counterpart, the surest first."""
    if new.preposition:
        yield lambda old: old.preposition == new.preposition and old.kind == new.kind
        yield lambda old: old.preposition == new.preposition
        return
    yield lambda old: not old.preposition and not set(old.head).isdisjoint(new.head)
    yield lambda old: not old.preposition and old.kind == new.kind
    if new.kind == "determined":
        yield lambda old: not old.preposition
    yield lambda old: old.kind == new.kind
    if new.kind == "name":
        yield lambda old: not old.preposition


def _replaced(part: str, new: NounPhrase, old: NounPhrase, text: str, language: Language) -> str:
    """The text with the new phrase in place of the old one, whose preposition stays where the new one has none."""
    if old.is_asked:
        return text[: old.noun_start] + part + text[old.end :]
    if new.preposition or not old.preposition:
        return text[: old.start] + part + text[old.end :]
    written = text[old.start : old.noun_start].strip()
    preposition = language_of(language).stop_words.contractions.get(written.lower(), written)
    return f"{text[: old.start]}{preposition} {part}{text[old.end :]}"


def _at_end(asked: TopicQuestion, part: str) -> TopicQuestion:
    stem = asked.text.rstrip(" ?!.")
    return replace(asked, text=f"{stem}{part}{'?' if asked.text.rstrip().endswith('?') else ''}")


def _beside(question: str, before: TopicQuestion, language: Language) -> TopicQuestion:
    """The question with the words of the one before; of what that one was about the names alone, lest it grow with every turn."""
    names = [word for word in before.topic if word[0].isupper()]
    said = [word.text for word in words_of(before.text)]
    known = content_of(question, language)
    kept = [word for word in dict.fromkeys([*said, *(names or before.topic)]) if content_of(word, language) - known]
    return TopicQuestion(text=question, topic=tuple(kept[:KEPT_WORDS]))
