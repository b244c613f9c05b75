"""Runs of words with a capital in a text, each with what stands around it. Pure."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rag_core.graph.name_evidence import (
    WORD,
    NameEvidence,
    begins_sentence,
    folded,
    given_names,
    label_words,
    particles_of,
)
from rag_core.language.languages import language_of
from rag_core.language.names import NameWords
from rag_core.language.traits import LanguageTraits
from rag_core.model.entity import EntityKind
from rag_core.model.note import Language

MAX_NAME_WORDS = 12
_LABEL = re.compile(r"(?m)^[ \t>*-]*\W{0,2}([^\W\d_][^:\n]{1,40}?)\W{0,2}:[ \t]*")
_BEFORE = re.compile(r"([^\W_]+(?:\.-?[^\W_]+)*)([.,]?)[ \t]+[\"\u00ab\u201e\u201c*(]?\Z")
INITIAL = re.compile(r"[^\W\d_]\Z")
_NUMBER = re.compile(r"\d{1,4}[A-Za-z]{0,2}\Z")


@dataclass(frozen=True, slots=True)
class NameToken:
    """A word and its key."""

    text: str
    start: int
    end: int
    key: str
    has_capital: bool


@dataclass(frozen=True, slots=True)
class NameRun:
    """A run of words with a capital."""

    tokens: tuple[NameToken, ...]
    before: str
    """The word before it, folded."""
    begins: bool
    """It begins a sentence."""
    label: EntityKind | None
    """What the label of its line says it is."""
    cue: EntityKind | None = None

    @property
    def key(self) -> str:
        """The folded words."""
        return " ".join(token.key for token in self.tokens)

    def without(self, count: int, *, before: str, cue: EntityKind | None) -> "NameRun":
        """The run behind its first words; ``before`` is the last of these."""
        return replace(self, tokens=self.tokens[count:], before=before, begins=False, cue=cue)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamingText:
    """A text with the words and the evidence that it is read by."""

    text: str
    language: Language
    words: NameWords
    traits: LanguageTraits
    evidence: NameEvidence
    given: frozenset[str]
    particles: frozenset[str]
    function_words: frozenset[str]

    def is_given(self, key: str) -> bool:
        """Test whether a word is a first name, in German in the genitive too."""
        return key in self.given or (key.endswith("s") and self.traits.has_capitalised_nouns and key[:-1] in self.given)

    def is_person(self, key: str) -> bool:
        """Test whether a word is part of a person's name."""
        known = self.evidence.persons
        is_genitive = self.traits.has_capitalised_nouns and key.endswith("s") and key[:-1] in known
        return key in known or is_genitive or self.is_given(key)


def naming_text(text: str, language: Language, evidence: NameEvidence) -> NamingText:
    """The text with what it is read by."""
    words = language_of(language)
    return NamingText(
        text=text,
        language=language,
        words=words.names,
        traits=words.traits,
        evidence=evidence,
        given=given_names(language),
        particles=particles_of(language),
        function_words=words.stop_words.function_words,
    )


def capitalised_runs(page: NamingText) -> Iterator[NameRun]:
    """The runs of a text, in its order."""
    labels = _labels(page)
    for tokens in _runs(page):
        start = tokens[0].start
        yield NameRun(
            tokens=tuple(tokens),
            before=_word_before(page, start),
            begins=begins_sentence(page.text, start),
            label=_label_at(page.text, labels, start),
        )


def _word_before(page: NamingText, start: int) -> str:
    """The word before a place; behind a full stop only a title."""
    found = _BEFORE.search(page.text[max(0, start - 40) : start])
    word = folded(found[1]) if found else ""
    return word if found is None or found[2] != "." or word in page.words.titles else ""


def _labels(page: NamingText) -> list[tuple[int, EntityKind]]:
    """Where the rest of a line with a label begins, and what the label says it holds."""
    found: list[tuple[int, EntityKind]] = []
    for match in _LABEL.finditer(page.text):
        names = set(label_words(match[1]))
        if names & (page.words.people | page.words.titles):
            found.append((match.end(), "PERSON"))
        elif names & page.words.companies:
            found.append((match.end(), "ORG"))
        elif names & page.words.undertakings:
            found.append((match.end(), "PROJECT"))
    return found


def _label_at(text: str, labels: Sequence[tuple[int, EntityKind]], start: int) -> EntityKind | None:
    place = bisect_right(labels, (start, "\uffff")) - 1
    if place < 0 or start - labels[place][0] > 200:
        return None
    between = text[labels[place][0] : start]
    return None if "\n" in between or re.search(r"[.;]\s", between) else labels[place][1]


def _runs(page: NamingText) -> Iterator[list[NameToken]]:
    tokens = [_token(match) for match in WORD.finditer(page.text)]
    index = 0
    while index < len(tokens):
        if not tokens[index].has_capital:
            index += 1
            continue
        end = index + 1
        while end - index < MAX_NAME_WORDS and (more := _more(page, tokens, index, end)):
            end = more
        yield tokens[index:end]
        index = end


def _token(match: re.Match[str]) -> NameToken:
    word = match[0]
    has_capital = word[0].isupper() or (word.isalnum() and word != word.lower() and word[0].isalpha())
    return NameToken(word, match.start(), match.end(), folded(word), has_capital)


def _more(page: NamingText, tokens: Sequence[NameToken], start: int, end: int) -> int | None:
    """The end of the run with its next word, over particles; None where the run ends."""
    joining = page.particles if _takes_particles(page, tokens, start, end) else frozenset[str]()
    if any(is_organisation(page, token.key) for token in tokens[start:end]):
        joining |= page.words.links
    for ahead in range(end, min(end + 4, len(tokens))):
        token = tokens[ahead]
        if not _joins(page, tokens[ahead - 1], token):
            return None
        if token.has_capital or (ahead == end and _NUMBER.match(token.text)):
            return ahead + 1
        if token.key not in joining:
            return None
    return None


def _takes_particles(page: NamingText, tokens: Sequence[NameToken], start: int, end: int) -> bool:
    first = tokens[start]
    return (
        not page.traits.has_capitalised_nouns
        or any(page.is_person(token.key) or INITIAL.match(token.text) for token in tokens[start:end])
        or first.key in page.words.titles | page.particles
    )


def is_organisation(page: NamingText, key: str) -> bool:
    """Test whether a word is part of organisations' names alone."""
    ends = page.words.compound_ends
    return key in page.words.organisations or key in page.words.last_words or bool(ends and re.search(ends, key))


def _joins(page: NamingText, first: NameToken, second: NameToken) -> bool:
    gap = page.text[first.end : second.start]
    is_short = INITIAL.match(first.text) or first.key in page.words.titles or first.key in page.particles
    return gap in {" ", "\u00a0", " & "} or (gap in {". ", "."} and bool(is_short))
