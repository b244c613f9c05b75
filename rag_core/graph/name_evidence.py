"""NameEvidence of names that notes give together: capitals, what names are sure to be, parts of persons' names. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from rag_core.language import LANGUAGES
from rag_core.language.folding import fold
from rag_core.language.languages import language_of
from rag_core.language.names import LEGAL_FORMS, ORDINARY_CAPITALS, PARTICLE_ABBREVIATIONS
from rag_core.model.entity import EntityKind, NamedMention
from rag_core.model.note import Language

WORD = re.compile(r"[^\W_]+(?:[-'\u2019!.][^\W_]+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n|>*#\u2022\u00bf\u00a1\u201e\u201c\"(\[\u00ab-])[^\w\n,]*\Z")
_LEGAL_FORM = re.compile(rf",? (?:{LEGAL_FORMS})\Z", re.IGNORECASE)
SURE_METHODS = frozenset({"parser", "cue", "list"})
_UNRELATED = frozenset({"DATE", "MONEY", "DOCUMENT"})


@lru_cache(maxsize=50_000)
def folded(name: str) -> str:
    """A name as names are compared: lower case, no accents, single spaces."""
    return fold(" ".join(name.replace("\u2019", "'").split())).text


def without_legal_form(name: str) -> str:
    """A company's name without "GmbH" and the like."""
    return _LEGAL_FORM.sub("", name)


@dataclass(frozen=True, slots=True, kw_only=True)
class NameEvidence:
    """Counts of words without a capital, and with one within a sentence; kinds of names; parts of persons' names."""

    small: Counter[str] = field(default_factory=Counter)
    capital: Counter[str] = field(default_factory=Counter)
    kinds: Mapping[str, EntityKind] = field(default_factory=dict)
    persons: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    """Names of the domains of e-mail addresses, without what ends them: "sonnwerk"."""


def begins_sentence(text: str, start: int) -> bool:
    """Test whether a sentence, a line or a cell begins at a place."""
    return _SENTENCE_START.search(text[max(0, start - 8) : start]) is not None


def word_counts(text: str) -> tuple[Counter[str], Counter[str]]:
    """Counts of each word without a capital, and with one within a sentence."""
    small, capital = Counter[str](), Counter[str]()
    for match in WORD.finditer(text):
        if not match[0][0].isupper():
            small[match[0]] += 1
        elif not begins_sentence(text, match.start()):
            capital[match[0]] += 1
    return _by_key(small), _by_key(capital)


def _by_key(counts: Counter[str]) -> Counter[str]:
    found = Counter[str]()
    for word, count in counts.items():
        found[folded(word)] += count
    return found


def gather_evidence(
    counts: tuple[Counter[str], Counter[str]],
    mentions: Iterable[NamedMention],
    known: Mapping[str, EntityKind],
    domains: Iterable[str] = (),
) -> NameEvidence:
    """NameEvidence of words counted in notes, of the sure mentions in them and of ``known`` names of other notes, folded."""
    votes: dict[str, Counter[EntityKind]] = defaultdict(Counter)
    persons: set[str] = set()
    sure = [
        (folded(one.name), one.kind) for one in mentions if one.method in SURE_METHODS and one.kind not in _UNRELATED
    ]
    for name, kind in (*sure, *known.items()):
        votes[name][kind] += 1
        if kind == "ORG":
            votes[folded(without_legal_form(name))][kind] += 1
        if kind == "PERSON":
            words = name.split()
            persons.update(word.strip(".,") for word in words if len(word.strip(".,")) > 2)
            if surname := _surname_with_particles(words):
                votes[surname][kind] += 1
    # "Atlas 2" says what "Atlas" is, and "A1" what codes like "A2" are.
    for name in [name for name, count in votes.items() if count["PROJECT"]]:
        votes[re.sub(r"(?<=[a-z])\d+\Z|(?<=.) \d+\Z", lambda match: "" if " " in match[0] else "#", name)][
            "PROJECT"
        ] += 1
    kinds = {name: count.most_common(1)[0][0] for name, count in votes.items()}
    return NameEvidence(
        small=counts[0],
        capital=counts[1],
        kinds=kinds,
        persons=frozenset(persons - all_particles()),
        domains=frozenset(domains),
    )


def _surname_with_particles(words: list[str]) -> str | None:
    """Surname with its particles: "von der heide" of "katharina von der heide"; None without particles."""
    start = next((index for index, word in enumerate(words) if index and word.strip(".") in all_particles()), None)
    return (
        " ".join(PARTICLE_ABBREVIATIONS.get(word, word) for word in words[start:])
        if start is not None and start < len(words) - 1
        else None
    )


@cache
def all_particles() -> frozenset[str]:
    """Particles of names in all languages."""
    return frozenset(word for language in LANGUAGES for word in language_of(language).names.particles)


@cache
def particles_of(language: Language) -> frozenset[str]:
    """Particles of names that may stand in a text of a language: its own, and others' that are no words of it."""
    words = language_of(language)
    return (all_particles() - words.stop_words.function_words) | words.names.particles


@cache
def given_names(language: Language) -> frozenset[str]:
    """First names of all languages; of the others those that are no function words of this one."""
    words = language_of(language)
    foreign = frozenset(name for other in LANGUAGES for name in language_of(other).names.given if len(name) > 2)
    return words.names.given | (foreign - words.stop_words.function_words)


@cache
def never_names(language: Language) -> frozenset[str]:
    """Words with a capital that are no names: days, months, labels, common abbreviations."""
    words = language_of(language)
    times = frozenset(map(folded, (*words.times.month_names, *words.times.weekday_names)))
    labels = words.names.people | words.names.companies
    return times | labels | words.names.ordinary | frozenset(map(folded, ORDINARY_CAPITALS))


def label_words(label: str) -> Iterator[str]:
    """The folded words of a label before a colon."""
    return (folded(word) for word in re.findall(r"\w+", label))
