"""Questions by template: from what a note says and lists, each with the place of its answer. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from rag_core.chunking import sentence_spans
from rag_core.evaluation.golden.proposals.clauses import Clause, clauses_of, definitions_of, is_clear, names_in
from rag_core.evaluation.golden.proposals.layout import Labelled, amounts, labelled_lines, listings
from rag_core.evaluation.golden.proposals.pairs import candidates_over_two
from rag_core.evaluation.runs.lexical import says
from rag_core.graph.rules import RuleExtractor
from rag_core.graph.statements import CausalStatement
from rag_core.language.content_words import content_of
from rag_core.language.languages import language_of
from rag_core.language.proposing import ProposalWording
from rag_core.model.golden_proposal import ProposalCandidate, ProposalKind, ProposalNote
from rag_core.model.note import Language, Span
from rag_core.query.time_expressions import find_times, strip_times

MAX_QUESTION_CHARACTERS = 160
MAX_QUOTE_CHARACTERS = 900
LEAST_SHARED = 2
LEAST_DAY_CHARACTERS = 120
LEAST_EFFECT_TERMS = 2
ENOUGH_TERMS = 4


@dataclass(frozen=True, slots=True)
class _Asked:
    kind: ProposalKind
    query: str
    answer: str
    span: Span


def candidates_of(notes: Sequence[ProposalNote]) -> list[ProposalCandidate]:
    """Every question that the templates make of these notes, none of which holds its own answer."""
    names = names_in(notes)
    days = Counter(note.created_at.date() for note in notes)
    of_one = [
        candidate
        for note in notes
        for candidate in _checked(note, _asked_of(note, names, is_only_of_day=days[note.created_at.date()] == 1))
    ]
    return of_one + candidates_over_two(notes, names)


def _asked_of(note: ProposalNote, names: frozenset[str], *, is_only_of_day: bool) -> list[_Asked]:
    facts = [*_of_clauses(note, names), *_definitions(note, names)]
    lists = [*_labels(note, names), *_lists(note), *_amounts(note), *_differences(note)]
    day = [_day(note)] if is_only_of_day else []
    return [*facts, *_causes(note, names), *lists, *_two_facts(note, facts), *day]


def _checked(note: ProposalNote, asked: Iterable[_Asked]) -> Iterator[ProposalCandidate]:
    for one in asked:
        quote = note.content[slice(*one.span)]
        if len(one.query) > MAX_QUESTION_CHARACTERS or len(quote) > MAX_QUOTE_CHARACTERS or not one.answer:
            continue
        if says(one.query, one.answer, note.language):
            continue
        yield ProposalCandidate(
            note_id=note.note_id,
            span=one.span,
            quote=quote,
            query=one.query,
            expected_answer=one.answer,
            kind=one.kind,
            method=f"template:{one.kind}",
            month=note.created_at.strftime("%Y-%m"),
        )


def _of_clauses(note: ProposalNote, names: frozenset[str]) -> Iterator[_Asked]:
    wording = language_of(note.language).proposing
    for clause in clauses_of(note, names):
        yield _Asked("who", wording.who.format(verb=clause.verb, rest=clause.rest), clause.subject, clause.span)
        yield from _what(note, clause, wording)
        yield from _when(note, clause, wording)
        yield from _how_many(clause, wording)


def _what(note: ProposalNote, clause: Clause, wording: ProposalWording) -> Iterator[_Asked]:
    if (
        wording.what
        and not clause.verb.endswith(wording.not_asked_by_what)
        and re.match(wording.object_start, clause.rest)
    ):
        day = wording.on_day.format(date=_date(note, wording))
        yield _Asked(
            "what", wording.what.format(verb=clause.verb, subject=clause.subject, day=day), clause.rest, clause.span
        )


def _when(note: ProposalNote, clause: Clause, wording: ProposalWording) -> Iterator[_Asked]:
    found = find_times(clause.rest, now=note.created_at, language=note.language)
    times = [time for time in found if not time.is_relative or _names_month(time.text, wording)]
    rest = strip_times(clause.rest, times)
    if wording.when and len(times) == 1 and len(content_of(rest, note.language)) >= LEAST_SHARED:
        query = wording.when.format(verb=clause.verb, subject=clause.subject, rest=rest)
        yield _Asked("when", query, times[0].text, clause.span)


def _names_month(text: str, wording: ProposalWording) -> bool:
    """True when a time is absolute, its year aside: "el 20 de abril", unlike "ayer"."""
    return any(month.lower() in text.lower() for month in wording.months)


def _how_many(clause: Clause, wording: ProposalWording) -> Iterator[_Asked]:
    match = re.match(wording.quantity, clause.rest)
    if match is None:
        return
    unit = wording.unit_names.get(match["unit"], match["unit"])
    is_feminine = unit in wording.feminine_units or (
        unit.endswith(wording.feminine_endings) and unit not in wording.masculine_units
    )
    query = wording.how_many.format(
        howmany=wording.asking_number[is_feminine],
        unit=unit,
        verb=clause.verb,
        subject=clause.subject,
        rest=match["after"].rstrip(),
    )
    yield _Asked("how-many", query, f"{match['number']} {match['unit']}", clause.span)


def _definitions(note: ProposalNote, names: frozenset[str]) -> Iterator[_Asked]:
    wording = language_of(note.language).proposing
    for one in definitions_of(note, names):
        query = wording.defined.format(verb=one.verb, term=_without_capital(one.term, wording))
        yield _Asked("definition", query, one.is_what, one.span)


def _causes(note: ProposalNote, names: frozenset[str]) -> Iterator[_Asked]:
    sentences = sentence_spans(note.content, note.language)
    read = RuleExtractor().extract(note.content, language=note.language, sentences=sentences)
    for statement in read.statements:
        cause = note.content[slice(*statement.cause)]
        query = _why(note, statement, names)
        if query and is_clear(cause, note.language):
            yield _Asked("cause", query, cause, statement.evidence)


def _why(note: ProposalNote, statement: CausalStatement, names: frozenset[str]) -> str | None:
    wording = language_of(note.language).proposing
    text, cause, effect = note.content, statement.cause, _with_article(note, statement.effect)
    if not is_clear(text[slice(*effect)], note.language):
        return None
    if cause[1] <= effect[0]:
        between = text[cause[1] : effect[0]]
        if re.fullmatch(wording.verb_of_cause, between.strip(), re.IGNORECASE):
            return wording.what_caused.format(verb=between.strip(), effect=text[slice(*effect)])
        is_why = re.fullmatch(wording.therefore, between, re.IGNORECASE)
    else:
        is_why = re.fullmatch(wording.because, text[effect[1] : cause[0]], re.IGNORECASE)
    asked = _clause_asked(note, text[slice(*effect)], names)
    return wording.why.format(effect=asked) if is_why and asked else None


def _clause_asked(note: ProposalNote, effect: str, names: frozenset[str]) -> str | None:
    """A clause that can be asked for, with the day where it says little of what happened then."""
    wording = language_of(note.language).proposing
    if not re.match(wording.finite, effect) or re.match(wording.unclear, effect):
        return None
    asked = _lowered(effect, names, note.language)
    terms = len(content_of(effect, note.language))
    if terms >= ENOUGH_TERMS or names & set(effect.split()):
        return asked if terms >= LEAST_EFFECT_TERMS else None
    if wording.dated and re.match(wording.dated, effect):
        return asked + wording.on_day.format(date=_date(note, wording))
    return None


def _with_article(note: ProposalNote, span: Span) -> Span:
    """The span with the article before it, which the rules leave out."""
    before = note.content[: span[0]].rsplit(maxsplit=1)[-1:]
    if before and before[0].lower() in language_of(note.language).proposing.articles:
        return note.content.rindex(before[0], 0, span[0]), span[1]
    return span


def _labels(note: ProposalNote, names: frozenset[str]) -> Iterator[_Asked]:
    wording = language_of(note.language).proposing
    if note.title:
        for line in labelled_lines(note.content):
            label = _lowered(line.label, names, note.language)
            query = wording.label.format(label=label, title=wording.quoted.format(title=note.title))
            yield _Asked("label", query, line.value, line.span)


def _lists(note: ProposalNote) -> Iterator[_Asked]:
    wording = language_of(note.language).proposing
    if note.title:
        for listing in listings(note.content):
            heading = wording.quoted.format(title=listing.heading)
            query = wording.list_of.format(heading=heading, title=wording.quoted.format(title=note.title))
            yield _Asked("list", query, "; ".join(listing.items), listing.span)


def _amounts(note: ProposalNote) -> Iterator[_Asked]:
    wording = language_of(note.language).proposing
    if note.title:
        for one in amounts(note.content, note.language):
            query = wording.amount.format(thing=one.label, title=wording.quoted.format(title=note.title))
            yield _Asked("how-many", query, one.value, one.span)


def _differences(note: ProposalNote) -> Iterator[_Asked]:
    """Neighbouring labelled lines that speak of the same things: two offers, two places."""
    wording = language_of(note.language).proposing
    for one, other in pairwise(labelled_lines(note.content)):
        if len(_content(note, one) & _content(note, other)) >= LEAST_SHARED:
            yield _Asked(
                "comparison",
                wording.difference.format(one=one.label, other=other.label),
                f"{one.label}: {one.value} {other.label}: {other.value}",
                (one.span[0], other.span[1]),
            )


def _content(note: ProposalNote, line: Labelled) -> frozenset[str]:
    return content_of(line.value, note.language)


def _two_facts(note: ProposalNote, facts: Sequence[_Asked]) -> Iterator[_Asked]:
    """Two questions on different sentences as one, for which all of the stretch from the first to the second is needed."""
    wording = language_of(note.language).proposing
    for one, other in combinations(facts, 2):
        if one.span[1] <= other.span[0]:
            query = wording.two.format(one=_bare(one.query), other=_bare(other.query, is_first=False))
            yield _Asked("two-facts", query, f"{one.answer}; {other.answer}", (one.span[0], other.span[1]))


def _day(note: ProposalNote) -> _Asked:
    """Question on the note of a day, answered by its beginning as far as the first paragraph goes."""
    wording = language_of(note.language).proposing
    ends = [end for _, end in sentence_spans(note.content, note.language)]
    end = next((end for end in ends if end >= LEAST_DAY_CHARACTERS), ends[-1])
    first = note.content[:end].split("\n\n")[0].strip()
    at = note.content.index(first)
    return _Asked("day", wording.day.format(date=_date(note, wording)), first, (at, at + len(first)))


def _date(note: ProposalNote, wording: ProposalWording) -> str:
    day = note.created_at
    return wording.date.format(day=day.day, month=wording.months[day.month - 1], year=day.year)


def _bare(query: str, *, is_first: bool = True) -> str:
    bare = query.strip("¿?")
    return bare if is_first else bare[:1].lower() + bare[1:]


def _without_capital(term: str, wording: ProposalWording) -> str:
    """A term with its article in lower case; whether its own capital is a name's is not known."""
    return term[:1].lower() + term[1:] if term.split(maxsplit=1)[0].lower() in wording.articles else term


def _lowered(text: str, names: frozenset[str], language: Language) -> str:
    """The text as it stands within a sentence: its first word in lower case unless it is a name, or a noun with a capital."""
    first = text.split(maxsplit=1)[0]
    wording = language_of(language).proposing
    is_common = first.lower() in wording.no_names | wording.articles
    is_kept = first in names or language_of(language).traits.has_capitalised_nouns or not first[1:].islower()
    return text[:1].lower() + text[1:] if is_common or not is_kept else text
