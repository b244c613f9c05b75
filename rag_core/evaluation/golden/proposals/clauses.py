"""Actions, definitions and causes, read from the sentences of a note. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rag_core.chunking import sentence_spans
from rag_core.language.content_words import content_of
from rag_core.language.languages import language_of
from rag_core.language.proposing import ProposalWording
from rag_core.model.golden_proposal import ProposalNote
from rag_core.model.note import Language, Span

MAX_SENTENCE_CHARACTERS = 320
LEAST_REST_WORDS = 3
LEAST_TERM_WORDS = 2
_CLAUSE_END = re.compile(r"\s*(?:[,;:()…]|[.!?]+$|\s[—\u2013-]\s|«|“|„).*$", re.DOTALL)
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_CAPITALISED = re.compile(r"(?<=[\w,;] )([A-ZÁÉÍÓÚÑÜÄÖ][a-záéíóúñüäöß]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A sentence's first clause: ``subject verb rest``, and where the sentence stands."""

    subject: str
    verb: str
    rest: str
    span: Span
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """Definition of a term, and its place."""

    term: str
    verb: str
    is_what: str
    span: Span


def names_in(notes: Iterable[ProposalNote]) -> frozenset[str]:
    """Words that have a capital within sentences and hardly ever an article: names of people and places.

    At the beginning of a sentence every word has a capital; in German every noun has one, and articles tell them apart.
    """
    counts: Counter[str] = Counter()
    with_article: Counter[str] = Counter()
    for note in notes:
        articles = language_of(note.language).proposing.articles
        for match in _CAPITALISED.finditer(note.content):
            before = note.content[: match.start()].rsplit(None, 1)[-1:]
            counts[match[1]] += 1
            with_article[match[1]] += bool(before) and before[0].lower().strip("«(\"'") in articles
    return frozenset(name for name, count in counts.items() if 4 * with_article[name] < count)


def sentences_of(note: ProposalNote) -> Iterator[tuple[str, Span]]:
    """The sentences that a question may be made of, without white space around them, and their places."""
    for start, end in sentence_spans(note.content, note.language):
        whole = note.content[start:end]
        text = whole.strip()
        if text and len(text) <= MAX_SENTENCE_CHARACTERS and "\n" not in text and text[-1] not in "?:":
            at = start + len(whole) - len(whole.lstrip())
            yield text, (at, at + len(text))


def clauses_of(note: ProposalNote, names: frozenset[str]) -> Iterator[Clause]:
    """Clauses whose subject is a name and whose rest says enough to be asked by: three words, nothing that points back."""
    wording = language_of(note.language).proposing
    for text, span in sentences_of(note):
        match = re.match(wording.clause, text)
        if match is None or not _is_name(match["subject"], names, wording):
            continue
        rest = _without_end(match["rest"], wording)
        if len(_WORD.findall(rest)) >= LEAST_REST_WORDS and is_clear(rest, note.language):
            yield Clause(subject=match["subject"], verb=match["verb"], rest=rest, span=span, sentence=text)


def definitions_of(note: ProposalNote, names: frozenset[str]) -> Iterator[Definition]:
    """Sentences that say what something is."""
    wording = language_of(note.language).proposing
    for text, span in sentences_of(note):
        match = re.fullmatch(wording.definition, text)
        if match is not None and _is_definable(match["term"], note.language, names):
            yield Definition(term=match["term"], verb=match["verb"], is_what=match["is"].rstrip(".!"), span=span)


def _is_definable(term: str, language: Language, names: frozenset[str]) -> bool:
    """True when a term has one meaning in every note: a name, or at least two content words."""
    words = term.split()
    wording = language_of(language).proposing
    silent = language_of(language).stop_words.function_words | language_of(language).stop_words.negations
    is_cut = words[-1].lower() in silent or words[0].lower() in wording.no_names - wording.articles
    is_named = words[0] in names and words[0].lower() not in wording.articles
    is_telling = is_named or len(content_of(term, language)) >= LEAST_TERM_WORDS
    return not is_cut and is_telling and is_clear(term, language)


def is_clear(text: str, language: Language) -> bool:
    """True when nothing in the text only refers to an earlier sentence."""
    return not {word.lower() for word in _WORD.findall(text)} & language_of(language).proposing.vague


def _without_end(text: str, wording: ProposalWording) -> str:
    """The text up to where its first clause ends, or a second predicate begins."""
    clause = _CLAUSE_END.sub("", text)
    second = re.search(wording.and_verb, clause)
    return (clause[: second.start()] if second else clause).strip()


def _is_name(subject: str, names: frozenset[str], wording: ProposalWording) -> bool:
    first = subject.split(maxsplit=1)[0]
    return first in names and first.lower() not in wording.no_names
