"""Questions over two notes of different days that speak of one thing: what was said of it then, and what later. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from rag_core.chunking import sentence_spans
from rag_core.evaluation.golden.proposals.clauses import clauses_of, is_clear, sentences_of
from rag_core.evaluation.golden.proposals.layout import labelled_lines
from rag_core.evaluation.runs.lexical import says
from rag_core.language.content_words import content_of
from rag_core.language.languages import language_of
from rag_core.language.proposing import ProposalWording
from rag_core.model.golden_proposal import Place, ProposalCandidate, ProposalNote
from rag_core.model.note import Span

MAX_QUESTION_CHARACTERS = 160
MOST_NOTES = 3
"""A word in more notes than that names no one thing."""
FIRST_WORDS = 5
"""Number of words at the beginning of a sentence that may hold its subject."""
MOST_DAYS = 4
"""Of more days that tell of one thing each is compared with the next alone."""
LEAST_NOUN_CHARACTERS = 5
LEAST_BEGINNING_CHARACTERS = 120
LEAST_SHARED = 2
RARE_SHARE = 0.05
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_FULL_NAME = re.compile(r"(?<=[\w,;] )[A-ZÁÉÍÓÚÑÜÄÖ][\w-]+(?: (?:de|del|von|of))? [A-ZÁÉÍÓÚÑÜÄÖ][\w-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """Statement of one note on a thing."""

    note: ProposalNote
    span: Span
    answer: str

    @property
    def quote(self) -> str:
        return self.note.content[slice(*self.span)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """A question's wording without its two days."""

    query: str
    one: _Said
    other: _Said


def candidates_over_two(notes: Sequence[ProposalNote], names: frozenset[str]) -> list[ProposalCandidate]:
    """Every question that two notes of one language answer together, neither alone.

    What they share is who did something, a label, a title, or a noun that few notes have and that each says a number of.
    """
    found = list[ProposalCandidate]()
    for language in sorted({note.language for note in notes}):
        ordered = sorted(
            (note for note in notes if note.language == language), key=lambda note: (note.created_at, note.note_id)
        )
        pairs = [*_of_deeds(ordered, names), *_of_labels(ordered), *_of_titles(ordered), *_of_nouns(ordered)]
        found += [_candidate(pair) for pair in pairs if _is_asked(pair)]
    return found


def _is_asked(pair: _Pair) -> bool:
    language = pair.one.note.language
    gives_away = any(says(pair.query, said.answer, language) for said in (pair.one, pair.other))
    is_same = content_of(pair.one.answer, language) == content_of(pair.other.answer, language)
    return len(pair.query) <= MAX_QUESTION_CHARACTERS and not gives_away and not is_same


def _candidate(pair: _Pair) -> ProposalCandidate:
    one, other = pair.one, pair.other
    return ProposalCandidate(
        note_id=one.note.note_id,
        span=one.span,
        quote=one.quote,
        further=(Place(note_id=other.note.note_id, span=other.span, quote=other.quote),),
        query=pair.query,
        expected_answer=f"{one.answer.rstrip('.')}; {other.answer}",
        kind="two-notes",
        method="template:two-notes",
        month=one.note.created_at.strftime("%Y-%m"),
    )


def _of_deeds(notes: Sequence[ProposalNote], names: frozenset[str]) -> Iterator[_Pair]:
    """Pairs of notes in which somebody did the same with two things, or in two places."""
    wording = language_of(notes[0].language).proposing
    groups = defaultdict[tuple[str, str, bool], list[_Said]](list)
    for note in notes:
        for clause in clauses_of(note, names):
            is_place = re.match(wording.place, clause.rest) is not None
            if is_place or re.match(wording.object_of_two, clause.rest):
                said = _Said(note=note, span=clause.span, answer=clause.rest)
                groups[clause.subject, clause.verb, is_place].append(said)
    for (subject, verb, is_place), deeds in groups.items():
        template = wording.where_then if is_place else wording.what_then
        if template:
            yield from _in_turn(template.replace("{verb}", verb).replace("{subject}", subject), deeds)


def _of_labels(notes: Sequence[ProposalNote]) -> Iterator[_Pair]:
    """Lines with one label, in notes that share rare words besides."""
    groups = defaultdict[str, list[tuple[str, _Said]]](list)
    for note in notes:
        for line in labelled_lines(note.content):
            said = _Said(note=note, span=line.span, answer=line.value)
            groups[line.label.lower()].append((line.label, said))
    rare = _rare_words(notes)
    wording = language_of(notes[0].language).proposing
    for labelled in groups.values():
        thing = wording.quoted.format(title=labelled[0][0])
        for pair in _in_turn(wording.noted_then.replace("{thing}", thing), [said for _, said in labelled]):
            one, other = pair.one.note, pair.other.note
            shared = (rare[one.note_id] & rare[other.note_id]) - content_of(thing, one.language)
            if len(shared) >= LEAST_SHARED or (one.title and _series(one) == _series(other)):
                yield pair


def _rare_words(notes: Sequence[ProposalNote]) -> dict[object, frozenset[str]]:
    """Each note's words that are in a twentieth of the notes at most, but in two."""
    contents = {note.note_id: content_of(f"{note.title or ''}. {note.content}", note.language) for note in notes}
    counts = Counter(word for words in contents.values() for word in words)
    most = max(2, RARE_SHARE * len(notes))
    rare = {word for word, count in counts.items() if 2 <= count <= most and not word[-1].isdigit()}
    return {note_id: words & rare for note_id, words in contents.items()}


def _of_titles(notes: Sequence[ProposalNote]) -> Iterator[_Pair]:
    """Notes of one title, or of a series ("Migraines: March", "Migraines: May"), that begin with something countable."""
    wording = language_of(notes[0].language).proposing
    groups = defaultdict[str, list[_Said]](list)
    for note in notes:
        if note.title and note.content.strip() and _numbers((beginning := _beginning(note)).answer):
            groups[_series(note)].append(beginning)
    for said in groups.values():
        for one, other in _two_by_two(said):
            first, second = (wording.quoted.format(title=each.note.title) for each in (one, other))
            if first != second:
                yield _Pair(query=wording.difference.format(one=first, other=second), one=one, other=other)
            else:
                yield from _in_turn(wording.titled_then.replace("{title}", first), [one, other])


def _series(note: ProposalNote) -> str:
    return (note.title or "").partition(":")[0].strip().lower()


def _beginning(note: ProposalNote) -> _Said:
    """Beginning of a note: whole sentences of its first paragraphs."""
    ends = [end for _, end in sentence_spans(note.content, note.language)]
    end = next((end for end in ends if end >= LEAST_BEGINNING_CHARACTERS), ends[-1])
    text = note.content[:end].strip()
    start = note.content.index(text)
    return _Said(note=note, span=(start, start + len(text)), answer=" ".join(text.split()))


def _of_nouns(notes: Sequence[ProposalNote]) -> Iterator[_Pair]:
    """A noun or a name of several words, in few notes, of which sentences of two speak and give different numbers."""
    wording = language_of(notes[0].language).proposing
    groups, things = defaultdict[str, list[_Said]](list), dict[str, str]()
    for word, thing, said in _told_of(notes, wording):
        things.setdefault(word, thing)
        groups[word].append(said)
    for word, told in groups.items():
        for pair in _in_turn(wording.noted_then.replace("{thing}", things[word]), told):
            if _numbers(pair.one.answer) != _numbers(pair.other.answer):
                yield pair


def _told_of(notes: Sequence[ProposalNote], wording: ProposalWording) -> Iterator[tuple[str, str, _Said]]:
    """Clear sentences with a number, by the word that few notes have, and what they tell of by it."""
    in_notes = Counter(word for note in notes for word in {word.lower() for word in _WORD.findall(note.content)})
    for note in notes:
        for text, span in sentences_of(note):
            if not _numbers(text) or not is_clear(text, note.language):
                continue
            for word, thing in _things(text, wording):
                if 2 <= in_notes[word] <= MOST_NOTES:
                    yield word, thing, _Said(note=note, span=span, answer=text)


def _numbers(text: str) -> frozenset[str]:
    return frozenset(_NUMBER.findall(text))


def _things(text: str, wording: ProposalWording) -> Iterator[tuple[str, str]]:
    """Subjects of a sentence, by the word that is looked for in other notes: early nouns with their article, and names."""
    for article, noun in pairwise(_WORD.findall(text)[:FIRST_WORDS]):
        if article.lower() in wording.named_with and len(noun) >= LEAST_NOUN_CHARACTERS and noun.islower():
            yield noun, f"{article.lower()} {noun}"
    for name in _FULL_NAME.findall(text):
        yield name.split()[-1].lower(), name


def _in_turn(template: str, said: Iterable[_Said]) -> Iterator[_Pair]:
    """Each note with those of other days; of several places of a day the first counts."""
    first_of_day = {each.note.created_at.date(): each for each in reversed(list(said))}
    for one, other in _two_by_two([first_of_day[day] for day in sorted(first_of_day)]):
        wording = language_of(one.note.language).proposing
        days = {"one": _on(one.note, wording), "other": _on(other.note, wording)}
        yield _Pair(query=_filled(template, days), one=one, other=other)


def _two_by_two(said: Sequence[_Said]) -> Iterable[tuple[_Said, _Said]]:
    return combinations(said, 2) if len(said) <= MOST_DAYS else pairwise(said)


def _filled(template: str, days: dict[str, str]) -> str:
    """The template with its days; what stands in it for a title may hold braces of its own."""
    return template.replace("{one}", days["one"]).replace("{other}", days["other"])


def _on(note: ProposalNote, wording: ProposalWording) -> str:
    day = note.created_at
    date = wording.date.format(day=day.day, month=wording.months[day.month - 1], year=day.year)
    return wording.on_day.format(date=date).strip()
