"""Mentions of named entities in a note: parsed names, proper names, and words of kinship that the note explains. Pure."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise

from rag_core.graph.name_evidence import NameEvidence, all_particles, folded, gather_evidence, given_names, word_counts
from rag_core.graph.parsed_names import domain_names, hidden_text, parsed_names
from rag_core.graph.proper_names import proper_names
from rag_core.language.languages import language_of
from rag_core.model.entity import EntityKind, NamedMention
from rag_core.model.note import Language

MAX_MENTIONS = 2_000
"""Mentions that are read of one note; a longer list of names is no text."""


def read_mentions(
    notes: Sequence[tuple[str, Language]],
    *,
    known: Mapping[str, EntityKind],
    others: Sequence[tuple[str, Language]] = (),
) -> list[list[NamedMention]]:
    """The mentions of each note, by what all of them tell together: "Proyecto Mirlo" in one says what "Mirlo" is in another.

    ``known`` are kinds of names of other notes, by folded name; ``others`` are notes, or titles, that are evidence alone.
    """
    texts = [*notes, *others]
    parsed = [parsed_names(text, language) for text, language in texts]
    hidden = [hidden_text(text, found) for (text, _), found in zip(texts, parsed, strict=True)]
    counts = Counter[str](), Counter[str]()
    for text in hidden:
        for total, one in zip(counts, word_counts(text), strict=True):
            total.update(one)
    sure = [one for found in parsed for one in found]
    domains = {name for text, _ in texts for name in domain_names(text)}
    evidence = gather_evidence(counts, sure, known, domains)
    for _ in range(2):
        sure += [
            one for text, (_, language) in zip(hidden, texts, strict=True) for one in _proper(text, language, evidence)
        ]
        evidence = gather_evidence(counts, sure, known, domains)
    return [
        _whole(text, language, found, _proper(secret, language, evidence))
        for (text, language), found, secret in zip(notes, parsed, hidden, strict=False)
    ]


def _whole(
    text: str, language: Language, parsed: Sequence[NamedMention], proper: Sequence[NamedMention]
) -> list[NamedMention]:
    found = sorted([*parsed, *proper], key=lambda mention: mention.span)
    return sorted([*found, *_kin(text, language, found)], key=lambda mention: mention.span)[:MAX_MENTIONS]


def _proper(text: str, language: Language, evidence: NameEvidence) -> list[NamedMention]:
    """The proper names, "Ferrer, Tomás" as one: a surname alone, then first names, in no list of names."""
    given = given_names(language)
    found: list[NamedMention] = []
    for mention in proper_names(text, language, evidence):
        last = found[-1] if found else None
        if last and text[last.span[1] : mention.span[0]] == ", " and _is_turned(text, last, mention, given):
            span, name = (last.span[0], mention.span[1]), f"{mention.name} {last.name}"
            found[-1] = NamedMention(span=span, kind="PERSON", name=name, confidence=0.85, method="cue")
        else:
            found.append(mention)
    return found


def _is_turned(text: str, surname: NamedMention, first: NamedMention, given: frozenset[str]) -> bool:
    words = [word.strip(".") for word in folded(first.name).replace(".", ". ").split()]
    joined = next((index for index, word in enumerate(words) if word in all_particles()), len(words))
    is_first = all(word in given or len(word) == 1 for word in words[:joined]) and len(words) <= joined + 2
    is_surname = surname.kind in {"PERSON", "ORG", "LOCATION"} and folded(surname.name).split()[0] not in given
    if first.kind != "PERSON" or not is_first or not words or not is_surname:
        return False
    is_listed = text.endswith(", ", 0, surname.span[0]) or re.match(
        r", [^\W\d_]|,? (?:y|und|and) ", text[first.span[1] : first.span[1] + 6]
    )
    begins_line = surname.span[0] == 0 or text[surname.span[0] - 1] == "\n"
    return len(words[0]) == 1 or begins_line or not is_listed


def _kin(text: str, language: Language, found: Sequence[NamedMention]) -> list[NamedMention]:
    """Words such as "mi jefa", in the note alone, where it says who that is."""
    pattern, joint = _kin_patterns(language)
    words = [(match.span(), folded(match["kin"])) for match in pattern.finditer(text)]
    people = [(mention.span, mention.name) for mention in found if mention.kind == "PERSON"]
    if not words or not people:
        return []
    places = sorted([*((span, kin, None) for span, kin in words), *((span, None, name) for span, name in people)])
    names: dict[str, set[str]] = {}
    for (span, kin, name), (next_span, next_kin, next_name) in pairwise(places):
        between, said, person = text[span[1] : next_span[0]], kin or next_kin, name or next_name
        is_apposition = joint.fullmatch(between) or (between == " " and kin is not None)
        if said and person and (kin is None) != (next_kin is None) and is_apposition:
            names.setdefault(said, set()).add(person)
    taken = {place for one in found for place in one.span}
    return [
        NamedMention(span=span, kind="PERSON", name=next(iter(names[kin])), confidence=0.8, method="kinship")
        for span, kin in words
        if len(names.get(kin, ())) == 1 and not taken.intersection(range(span[0] + 1, span[1]))
    ]


@cache
def _kin_patterns(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    words = language_of(language).names
    return re.compile(rf"(?<!\w){words.possessive} (?P<kin>{words.kin})(?!\w)"), re.compile(words.is_kin)
