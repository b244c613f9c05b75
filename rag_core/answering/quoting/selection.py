"""Selection of the passages that are quoted for a question. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from rag_core.answering.quoting.asked_time import is_of, names_time, of_that_time, spread, stands_under_time, tells_year
from rag_core.answering.quoting.openings import announces, is_heading, only_points, only_refers
from rag_core.answering.quoting.passages import Passage, is_order, ranked_passages
from rag_core.answering.quoting.second_note import has_name, told_names
from rag_core.answering.quoting.sentence_scores import ScoredSentence, score_sentences
from rag_core.answering.totals.asking import things_asked
from rag_core.answering.totals.naming import unnamed_lines
from rag_core.model.answer import AskedTime, PromptContext, Source
from rag_core.model.note import Language, NoteId
from rag_core.query.routing import is_described

MAX_PASSAGES = 2
MOST_BEHIND = 2.0
"""Greatest difference in score, in natural logarithms of chances, of a second passage to the first: about one in seven."""
MOST_AHEAD = 4.0
MOST_ALIKE = 0.7
"""Two passages whose beginnings share more of their content say the same."""
TELLING_WORDS = 3
"""A sentence with fewer words of content does not tell what a note is about."""
MAX_LISTED = 6
"""Greatest number of notes of a time that are quoted, from all of it."""
LEAD_CHARACTERS = 24
_BEGINS_WITH_DIGITS = re.compile(r"\s*(?:[-*+•]\s+)?[*_]*\d")
MAX_OF_ONE_NOTE = 3
"""Greatest number of sentences where only one note is of the time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """Passages of notes in the order they are quoted, each of neighbouring sentences of one source.

    ``ahead`` is the difference in score of the first to the best sentence outside it, at most ``MOST_AHEAD``, and 0 where there
    is none. ``is_of_its_time`` is False where a time is asked for and nothing of it was found.
    """

    passages: tuple[Passage, ...]
    ahead: float = 0.0
    is_of_its_time: bool = True
    is_added_up: bool = True
    """False where rows of amounts are told for a question for a sum."""

    @property
    def sentences(self) -> tuple[ScoredSentence, ...]:
        """All that is quoted, in its order."""
        return tuple(sentence for passage in self.passages for sentence in passage)

    @property
    def notes(self) -> frozenset[NoteId]:
        """Notes that are quoted."""
        return frozenset(sentence.source.note_id for sentence in self.sentences)


NOTHING = Quotation(passages=())


def quote(query: str, context: PromptContext, *, language: Language) -> Quotation:
    """Quote the passage that most likely holds the answer, and a second one that is nearly as likely.

    For a question of a time alone, the notes of that time in turn. No sentence that would command its reader is quoted. Where a time
    is asked for, only what is of it counts, if there is any. ``language`` is the question's own.
    """
    asked = context.asked_time
    if asked is None:
        scored = _scored(query, context.sources, language=language)
        nearest = _nearest(scored)
        if context.asked_year is not None:
            return _of_the_year(context.asked_year, nearest, query, context, language)
        return _of_two_notes(nearest, scored, query) if is_described(query, language=language) else nearest
    if not of_that_time(context.sources, asked):
        return _telling_of(asked, query, context, language)
    if asked.is_all:
        return _listed(context.sources, asked, query, language)
    question = asked.without or query
    scored = _scored(question, context.sources, language=language)
    found = _nearest(scored, is_fitting=_within(asked))
    return found if found.passages else _first_of(context.sources, asked, question, language)


def _of_the_year(
    asked: AskedTime, nearest: Quotation, query: str, context: PromptContext, language: Language
) -> Quotation:
    """Passages of notes that are of the year or tell it, where they are nearly as likely as any; else the nearest of all."""
    scored = _scored(asked.without or query, context.sources, language=language)
    telling = {source.number for source in context.sources if tells_year(source, asked)}
    is_within = _within(asked)
    found = _nearest(scored, is_fitting=lambda one: one.source.number in telling or is_within(one))
    best = _nearest(scored).passages
    if found.passages and found.passages[0][0].score >= best[0][0].score - MOST_BEHIND:
        return found
    return replace(nearest, is_of_its_time=False)


def _of_two_notes(nearest: Quotation, scored: Sequence[ScoredSentence], query: str) -> Quotation:
    """The nearest passages, then the best of another note that holds a name which only the first one tells.

    "What does the one who drove the tram play?" is told by a note on the tram, which has the name, and one on the name's bearer.
    """
    if not nearest.passages:
        return nearest
    first = nearest.passages[0]
    names, note = told_names(first, query), first[0].source.note_id
    linked = (one for one in _passages(scored) if one[0].source.note_id != note and has_name(one, names))
    best = next(linked, first)
    return nearest if best[0] in nearest.sentences else replace(nearest, passages=(*nearest.passages, best))


def _telling_of(asked: AskedTime, query: str, context: PromptContext, language: Language) -> Quotation:
    """Passages of other notes about the time that is asked for; else the nearest, or none where nothing more is asked for."""
    scored = _scored(query, context.sources, language=language)
    found = _nearest(scored, is_fitting=_within(asked))
    if found.passages:
        return found
    return replace(NOTHING if asked.is_all else _nearest(scored), is_of_its_time=False)


def _scored(question: str, sources: Sequence[Source], *, language: Language) -> list[ScoredSentence]:
    """The sentences of the sources; for a sum without rows of one in the question's language that name nothing it is asked of."""
    scored = score_sentences(question, sources, language=language)
    terms = things_asked(question, language)
    spoken = [source for source in sources if terms and source.language == language]
    unnamed = {source.number: unnamed_lines(source, terms) for source in spoken}
    return [
        one for one in scored if not any(start <= one.start < end for start, end in unnamed.get(one.source.number, ()))
    ]


def _within(asked: AskedTime) -> Callable[[ScoredSentence], bool]:
    """Test whether a sentence is of a note of that time, names it, or stands under it."""

    def is_within(sentence: ScoredSentence) -> bool:
        source = sentence.source
        if is_of(source, asked) or stands_under_time(sentence.start + len(sentence.text), source, asked):
            return True
        is_row = sentence.text.startswith("|") and sentence.source_share > 0  # what its columns are stands over it
        told = (sentence.text, _lead_of(sentence))
        return (sentence.own > 0 or is_row) and any(names_time(text, source, asked) for text in told if text)

    return is_within


def _lead_of(sentence: ScoredSentence) -> str:
    """The beginning of the line that a sentence stands in behind others: "- 2025-05-06:" is the time of all that follows there."""
    text = sentence.source.original
    begin = text.rfind("\n", 0, sentence.start) + 1
    lead = text[begin : min(begin + LEAD_CHARACTERS, sentence.start)]
    return lead if _BEGINS_WITH_DIGITS.match(lead) else ""


def _nearest(
    scored: Sequence[ScoredSentence], *, is_fitting: Callable[[ScoredSentence], bool] = lambda _sentence: True
) -> Quotation:
    """The best passage, and the next one that says something else, where it is likely enough; each may answer.

    Links to other notes, and headings over them, are no passage, and a line that only refers to others is in none.
    """
    fitting = [one for one in scored if is_fitting(one)]
    passages = _passages(fitting)
    first = next(passages, None)
    if first is None:
        return NOTHING
    near = (passage for passage in passages if passage[0].score >= first[0].score - MOST_BEHIND)
    further = islice((passage for passage in near if _is_new(passage[0], first)), MAX_PASSAGES - 1)
    others = (one.score for one in _leads(fitting) if one not in first and not only_points(one.text))
    ahead = min(MOST_AHEAD, first[0].score - max(others, default=first[0].score))
    return Quotation(passages=(first, *further), ahead=ahead)


def _passages(fitting: Sequence[ScoredSentence]) -> Iterator[Passage]:
    return (_telling_part(one) for one in ranked_passages(fitting, _leads(fitting)) if not _only_points(one))


def _leads(fitting: Iterable[ScoredSentence]) -> list[ScoredSentence]:
    return [one for one in fitting if one.may_lead and _has_ground(one)]


def _has_ground(sentence: ScoredSentence) -> bool:
    """Test whether anything but the search speaks for the sentence."""
    return sentence.source_share > 0 or sentence.similarity is not None


def _only_points(passage: Passage) -> bool:
    return only_points("\n".join(sentence.text for sentence in passage))


def _telling_part(passage: Passage) -> Passage:
    return tuple(sentence for sentence in passage if not only_refers(sentence.text))


def _is_new(sentence: ScoredSentence, kept: Iterable[ScoredSentence]) -> bool:
    return all(_likeness(sentence, other) <= MOST_ALIKE for other in kept)


def _likeness(one: ScoredSentence, other: ScoredSentence) -> float:
    return len(one.content & other.content) / (len(one.content | other.content) or 1)


# By time -----------------------------------------------------------------------------------------------------------------


def _listed(sources: Sequence[Source], asked: AskedTime, query: str, language: Language) -> Quotation:
    """The beginnings of notes from all of the time, the earliest first; of one note its first three sentences with content."""
    telling = _telling_by_note(sources, asked, query, language)
    most = MAX_OF_ONE_NOTE if len(telling) == 1 else 1
    return Quotation(
        passages=tuple((sentence,) for sentences in spread(telling, MAX_LISTED) for sentence in sentences[:most]),
    )


def _first_of(sources: Sequence[Source], asked: AskedTime, question: str, language: Language) -> Quotation:
    """The first sentence that tells something in a note of the time, of which none has to do with the rest of the question."""
    every = [sentence for sentences in _telling_by_note(sources, asked, question, language) for sentence in sentences]
    first = sorted(every, key=lambda sentence: (sentence.source.number, sentence.place))[:1]
    return Quotation(passages=tuple((sentence,) for sentence in first))


def _telling_by_note(
    sources: Sequence[Source], asked: AskedTime, question: str, language: Language
) -> list[list[ScoredSentence]]:
    """Of each note of the time, the earliest first, the sentences that tell what it is about; of a note without any, none."""
    notes = {source.note_id: source for source in reversed(of_that_time(sources, asked))}
    first = list(notes.values())[::-1]
    scored = _scored(question, first, language=language)
    return [telling for source in first if (telling := _telling(scored, source))]


def _telling(scored: Sequence[ScoredSentence], source: Source) -> list[ScoredSentence]:
    """The sentences of a source that say what it is about."""
    own = [one for one in scored if one.source is source and one.may_lead and not is_order(one.text)]
    rest = [sentence for sentence in own if not announces(sentence.text)]
    wordy = [sentence for sentence in rest if len(sentence.content) >= TELLING_WORDS]
    return [sentence for sentence in wordy if not is_heading(sentence.text)] or wordy or rest
