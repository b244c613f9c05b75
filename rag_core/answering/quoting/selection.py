"""Selection of the sentences that are quoted for a question, and the likelihood that they answer it. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import exp
from typing import Literal

from rag_core.answering.quoting.asked_time import is_of, names_time, of_that_time, spread
from rag_core.answering.quoting.openings import announces, is_heading, set_off
from rag_core.answering.quoting.passages import Passage, Surroundings, is_order, passage_of, surroundings
from rag_core.answering.quoting.sentence_scores import ScoredSentence, score_sentences
from rag_core.answering.quoting.wanted import SHOWN_BY_ITSELF, is_of_a_person, wanted_kind
from rag_core.language.quoting import Wanted
from rag_core.model.answer import AskedTime, PromptContext, Source
from rag_core.model.note import Language, NoteId

MAX_SENTENCES = 3
LEAST_COVERAGE = 0.25
"""A sentence that covers less of the question is no answer to it.

It refuses 2 % of squad-es-mt's questions, 1 % of XQuAD-es', 7 % of the demo's golden ones, and 38 % of those whose article is missing
(``tests/benchmarks/abstention.py``).
"""
LEAST_ALONE = 0.49
"""Least share of the question that a single word must cover: about half, as the name does in "¿Cuándo murió Tesla?"."""
LEAST_BESIDE_KIND = 0.15
"""The share for a sentence that holds the amount, the hour or the length that is asked for."""
LEAST_INSTEAD = 0.3
"""Least likelihood, relative to the best sentence, of one that replaces it because it holds the number or name asked for."""
LEAST_CHANCE = 0.1
"""A further passage must be so likely to answer,"""
LEAST_OF_BEST = 0.15
"""and so likely beside the best one."""
MOST_ALIKE = 0.7
"""Two sentences that share more of their content say the same: the better one is kept."""
TELLING_WORDS = 3
"""A sentence with fewer words of content does not tell what a note is about."""
MAX_LISTED = 6
"""Greatest number of notes of a time that are quoted, from all of it."""
STRONG_CHANCE = 0.45
"""From so likely an answer on a quotation is more than the nearest there is."""

Strength = Literal["strong", "weak"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """Passages of notes in the order they are quoted, each of one or two sentences of one source, and how near they come.

    ``is_of_its_time`` is False where a time is asked for and nothing of it was found.
    """

    passages: tuple[Passage, ...]
    strength: Strength
    is_of_its_time: bool = True

    @property
    def sentences(self) -> tuple[ScoredSentence, ...]:
        """All that is quoted, in its order."""
        return tuple(sentence for passage in self.passages for sentence in passage)

    @property
    def notes(self) -> frozenset[NoteId]:
        """Notes that are quoted."""
        return frozenset(sentence.source.note_id for sentence in self.sentences)


NOTHING = Quotation(passages=(), strength="weak")


def quote(query: str, context: PromptContext, *, language: Language) -> Quotation:
    """Quote the sentences nearest to the question, at most three; for a question of a time alone, the notes of that time in turn.

    No sentence that covers less than a quarter of the question is quoted, and none that would command its reader. Where a time is
    asked for, only what is of it counts, if there is any. ``language`` is the question's own. What is asked of one
    person and may be told of another is weak.
    """
    asked, is_doubtful = context.asked_time, context.is_doubtful or is_of_a_person(query, language)
    if asked is None:
        scored = _scored(query, context.sources, language)
        return _nearest(query, scored, language=language, is_doubtful=is_doubtful)
    if not of_that_time(context.sources, asked):
        return _telling_of(asked, query, context, language)
    if asked.is_all:
        return _listed(context.sources, asked, query, language)
    question = asked.without or query
    scored = _scored(question, context.sources, language)
    found = _nearest(question, scored, language=language, is_doubtful=is_doubtful, is_fitting=_within(asked))
    return found if found.passages else _first_of(context.sources, asked, question, language)


def _telling_of(asked: AskedTime, query: str, context: PromptContext, language: Language) -> Quotation:
    """Sentences of other notes about the time that is asked for; else, where more is asked for, the nearest by words."""
    scored = _scored(query, context.sources, language)
    found = _nearest(query, scored, language=language, is_doubtful=True, is_fitting=_within(asked))
    if found.passages or asked.is_all:
        return found
    return replace(_nearest(query, scored, language=language, is_doubtful=True), is_of_its_time=False)


def _within(asked: AskedTime) -> Callable[[ScoredSentence], bool]:
    """Test whether a sentence is of a note of that time, or names it."""

    def is_within(sentence: ScoredSentence) -> bool:
        source = sentence.source
        return is_of(source, asked) or (sentence.own > 0 and names_time(sentence.text, source, asked))

    return is_within


# By words ----------------------------------------------------------------------------------------------------------------


def _scored(question: str, sources: Sequence[Source], language: Language) -> list[ScoredSentence]:
    """Every sentence; in a note of nothing but headings none of them is one."""
    scored = score_sentences(question, sources, language=language, text_of=lambda source: source.original)
    by_source = groupby(scored, key=lambda sentence: sentence.source.number)
    return [sentence for _, own in by_source for sentence in _with_plain_headings(list(own))]


def _with_plain_headings(own: Sequence[ScoredSentence]) -> Iterator[ScoredSentence]:
    are_set_off = set_off([sentence.text for sentence in own], own[0].source.title)
    for sentence, is_set_off in zip(own, are_set_off, strict=True):
        is_plain = sentence.is_opening and not is_set_off and is_heading(sentence.text)
        yield replace(sentence, is_opening=announces(sentence.text)) if is_plain else sentence


def _nearest(
    question: str,
    scored: Sequence[ScoredSentence],
    *,
    language: Language,
    is_doubtful: bool,
    is_fitting: Callable[[ScoredSentence], bool] = lambda _sentence: True,
) -> Quotation:
    """The best passage, and beside one that is likely to answer those that earn their place."""
    wanted = wanted_kind(question, language)
    is_shown = wanted in SHOWN_BY_ITSELF - {"cause"}
    around = surroundings(scored, wanted=wanted, is_shown=is_shown)
    fitting = [sentence for sentence in scored if _is_near(sentence, is_shown=is_shown) and is_fitting(sentence)]
    chances = _chances(fitting)
    ranked = sorted(fitting, key=lambda sentence: -sentence.score)
    first = _best_of(ranked, around, chances, is_shown=is_shown)
    if not _may_answer(first):
        return NOTHING
    least = max(LEAST_CHANCE, LEAST_OF_BEST * max(chances.get(sentence, 0.0) for sentence in first))
    further = list(_further(_passages(ranked, around), first, least=least, chances=chances))
    chance = sum(chances.get(sentence, 0.0) for passage in (first, *further) for sentence in passage)
    is_strong = not is_doubtful and chance >= STRONG_CHANCE and _is_whole(first, wanted)
    return Quotation(passages=(first, *further) if is_strong else (first,), strength="strong" if is_strong else "weak")


def _passages(ranked: Iterable[ScoredSentence], around: Surroundings) -> Iterator[Passage]:
    """Candidates for quotation, the best first; computed lazily, since a note may have thousands of sentences."""
    quotable = (sentence for sentence in ranked if not is_order(sentence.text))
    return (passage for sentence in quotable if (passage := passage_of(sentence, around)))


def _best_of(
    ranked: Sequence[ScoredSentence],
    around: Surroundings,
    chances: Mapping[ScoredSentence, float],
    *,
    is_shown: bool,
) -> Passage:
    """The best passage; where that lacks the thing asked for, one that holds it and is likely enough. () of none."""
    passages = _passages(ranked, around)
    first = next(passages, ())
    if not first or not _lacks_kind(first):
        return first
    other = next((passage for passage in passages if any(sentence.has_kind for sentence in passage)), None)
    if other is None:
        return first
    likely = LEAST_INSTEAD * max(chances.get(sentence, 0.0) for sentence in first)
    return other if is_shown or max(chances.get(sentence, 0.0) for sentence in other) >= likely else first


def _may_answer(passage: Passage) -> bool:
    """Test whether it holds what is asked for or half of the question, or its note has more of it than one word of several."""
    return any(sentence.has_kind or sentence.has_ground or sentence.own >= LEAST_ALONE for sentence in passage)


def _lacks_kind(passage: Passage) -> bool:
    return passage[0].has_kind is False and not any(sentence.has_kind for sentence in passage)


def _is_near(sentence: ScoredSentence, *, is_shown: bool) -> bool:
    """Test whether a sentence may answer at all; what is asked for and hardly stands anywhere by chance needs fewer words about it."""
    return sentence.coverage >= (LEAST_BESIDE_KIND if is_shown and sentence.has_kind else LEAST_COVERAGE)


def _chances(scored: Sequence[ScoredSentence]) -> dict[ScoredSentence, float]:
    """The probability that each is the answer, if one of them is: exp(score) / Σ exp(score)."""
    highest = max((sentence.score for sentence in scored), default=0.0)
    weights = {sentence: exp(sentence.score - highest) for sentence in scored}
    whole = sum(weights.values())
    return {sentence: weight / whole for sentence, weight in weights.items()}


def _is_whole(passage: Passage, wanted: Wanted | None) -> bool:
    """Test whether the names of the question are there, and the kind of thing it asks for."""
    has_names = any(sentence.has_names for sentence in passage)
    return has_names and (wanted is None or not _lacks_kind(passage))


def _further(
    passages: Iterable[Passage],
    first: Passage,
    *,
    least: float,
    chances: Mapping[ScoredSentence, float],
) -> Iterator[Passage]:
    """Passages that may be the answer as well, and hold the kind of thing asked for, as many as there is room for."""
    kept = list(first)
    for passage in passages:
        best = max(passage, key=lambda sentence: chances.get(sentence, 0.0))
        if len(kept) + len(passage) > MAX_SENTENCES or chances.get(best, 0.0) < least:
            return
        if not _lacks_kind(passage) and all(_is_new(sentence, kept) for sentence in passage):
            kept.extend(passage)
            yield passage


def _is_new(sentence: ScoredSentence, kept: Iterable[ScoredSentence]) -> bool:
    return all(sentence is not other and _likeness(sentence, other) <= MOST_ALIKE for other in kept)


def _likeness(one: ScoredSentence, other: ScoredSentence) -> float:
    return len(one.content & other.content) / len(one.content | other.content)


# By time -----------------------------------------------------------------------------------------------------------------


def _listed(sources: Sequence[Source], asked: AskedTime, query: str, language: Language) -> Quotation:
    """The beginnings of notes from all of the time, the earliest first; of one note its first three sentences with content."""
    telling = _telling_by_note(sources, asked, query, language)
    most = MAX_SENTENCES if len(telling) == 1 else 1
    return Quotation(
        passages=tuple((sentence,) for sentences in spread(telling, MAX_LISTED) for sentence in sentences[:most]),
        strength="strong",
    )


def _first_of(sources: Sequence[Source], asked: AskedTime, question: str, language: Language) -> Quotation:
    """Sentence of a note of the time without a word of the question: one that holds the kind of thing asked for, if any."""
    every = [sentence for sentences in _telling_by_note(sources, asked, question, language) for sentence in sentences]
    first = sorted(every, key=lambda sentence: (not sentence.has_kind, sentence.source.number, sentence.place))[:1]
    return Quotation(passages=tuple((sentence,) for sentence in first), strength="weak")


def _telling_by_note(
    sources: Sequence[Source], asked: AskedTime, question: str, language: Language
) -> list[list[ScoredSentence]]:
    """Of each note of the time, the earliest first, the sentences that tell what it is about; of a note without any, none."""
    notes = {source.note_id: source for source in reversed(of_that_time(sources, asked))}
    first = list(notes.values())[::-1]
    scored = _scored(question, first, language)
    return [telling for source in first if (telling := _telling(scored, source))]


def _telling(scored: Sequence[ScoredSentence], source: Source) -> list[ScoredSentence]:
    """The sentences of a source that say what it is about."""
    own = [sentence for sentence in scored if sentence.source is source and not is_order(sentence.text)]
    telling = [sentence for sentence in own if _tells(sentence)]
    rest = [sentence for sentence in own if not announces(sentence.text)]
    return telling or [sentence for sentence in rest if _is_wordy(sentence)] or rest


def _tells(sentence: ScoredSentence) -> bool:
    return _is_wordy(sentence) and not sentence.is_opening


def _is_wordy(sentence: ScoredSentence) -> bool:
    return len(sentence.content) >= TELLING_WORDS
