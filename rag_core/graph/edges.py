"""Relations between what a note names, read by patterns over its sentences. Pure.

A sentence is read with a mark for each name in it, so that a pattern says which types it joins and is blind to the words of names.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from rag_core.graph.grammar import grammar_of
from rag_core.graph.resolution import name_key
from rag_core.language.folding import fold
from rag_core.language.languages import language_of
from rag_core.model.entity import ENTITY_KINDS, TRIPLES, EdgeKind, EntityKind, NamedEdge, NamedMention
from rag_core.model.note import Language, Span

MAX_EDGES = 500
MAX_SENTENCE_CHARACTERS = 1_000
"""A longer stretch is a list, not a sentence."""
MIN_CONFIDENCE = 0.5
_MARKS: dict[EntityKind, str] = {kind: chr(0xE000 + number) for number, kind in enumerate(ENTITY_KINDS)}
_ANY_MARK = re.compile(f"[{''.join(_MARKS.values())}]")
_OPENING, _CLOSING = '[\u00ab\u201e\u201c"*_]?', '[\u00bb\u201d\u201c"*_]?'
_Pattern = tuple[EdgeKind, float, re.Pattern[str]]


def read_edges(
    text: str, language: Language, sentences: Iterable[Span], mentions: Sequence[NamedMention]
) -> list[NamedEdge]:
    """The edges that a note states, each once a sentence; what it asks, supposes or denies is none."""
    supposed, starts = grammar_of(language).supposed, [one.span[0] for one in mentions]
    project = _own_project(text, language, mentions)
    found: list[NamedEdge] = []
    for start, end in sentences:
        within = mentions[bisect_left(starts, start) : bisect_left(starts, end)]
        is_read = (
            len(within) > (project is None) and end - start <= MAX_SENTENCE_CHARACTERS and within[-1].span[1] <= end
        )
        own = text[start:end]
        if is_read and "?" not in own and not supposed.search(own):
            evidence = start + len(own) - len(own.lstrip()), start + len(own.rstrip())
            found += _in_sentence(_marked(text, (start, end), within), language, within, evidence, project)
        if len(found) >= MAX_EDGES:
            break
    return found[:MAX_EDGES]


def triple_problem(
    source: tuple[EntityKind, str], kind: EdgeKind, target: tuple[EntityKind, str], confidence: float
) -> str | None:
    """Reason why two things, each a type and a key, are joined by no edge of a kind; None where they may be."""
    if not source[1].strip():
        return "Subject cannot be empty"
    if not target[1].strip():
        return "Object cannot be empty"
    if (source[0], target[0]) not in TRIPLES.get(kind, ()):
        return "Invalid predicate type"
    if confidence < MIN_CONFIDENCE:
        return "Triple confidence too low"
    return "Subject is the object" if source == target else None


def _own_project(text: str, language: Language, mentions: Sequence[NamedMention]) -> NamedMention | None:
    """Project that a note means by "the project": the one in its heading, or the only one; None where it is not told."""
    projects = [one for one in mentions if one.kind == "PROJECT"]
    heading = re.match(r"\s*#.*", text)
    is_told = bool(projects) and (
        (heading is not None and projects[0].span[0] < heading.end())
        or len({name_key(one.kind, one.name, language) for one in projects}) == 1
    )
    return projects[0] if is_told else None


def _marked(text: str, span: Span, mentions: Sequence[NamedMention]) -> str:
    """The sentence, folded, with a mark for each name."""
    pieces, reached = [], span[0]
    for one in mentions:
        pieces += [_plain(text[reached : one.span[0]]), _MARKS[one.kind]]
        reached = one.span[1]
    return "".join([*pieces, _plain(text[reached : span[1]])])


def _plain(text: str) -> str:
    return re.sub(r"[\s\ue000-\uf8ff]", " ", fold(text).text)


def _in_sentence(
    marked: str, language: Language, mentions: Sequence[NamedMention], evidence: Span, project: NamedMention | None
) -> Iterator[NamedEdge]:
    places = {match.start(): one for match, one in zip(_ANY_MARK.finditer(marked), mentions, strict=True)}
    implied = [project] if project else []
    keys = {one.span: (one.kind, name_key(one.kind, one.name, language)) for one in (*mentions, *implied)}
    told: set[tuple[EdgeKind, Span, Span]] = set()
    for kind, confidence, pattern in _patterns(language):
        for match in pattern.finditer(marked):
            slots = {name: match.span(name) for name in pattern.groupindex}
            sources, targets = (
                [places[place] for place in range(*slots[name]) if place in places] if name in slots else implied
                for name in ("source", "target")
            )
            for source, target in ((one, other) for one in sources for other in targets):
                sure = confidence * source.confidence * target.confidence
                is_told = (kind, source.span, target.span) in told
                if not is_told and triple_problem(keys[source.span], kind, keys[target.span], sure) is None:
                    told.add((kind, source.span, target.span))
                    yield NamedEdge(kind=kind, source=source, target=target, evidence=evidence, confidence=sure)


@cache
def _patterns(language: Language) -> tuple[_Pattern, ...]:
    words = language_of(language).relations
    return tuple(
        (one.kind, one.confidence, re.compile(_written_out(one.kind, one.pattern, language))) for one in words.patterns
    )


def _written_out(kind: EdgeKind, pattern: str, language: Language) -> str:
    words, names = language_of(language).relations, language_of(language).names
    determiners = language_of(language).stop_words.determiners | names.titles
    denying = re.compile(words.negation)
    before = [
        word for word in determiners | names.projects | names.products | names.venues if not denying.fullmatch(word)
    ]
    articles = rf"(?:(?:{'|'.join(sorted(map(re.escape, before), key=len, reverse=True))})\.? ){{0,3}}{_OPENING}"
    first = min((slot for slot in ("SOURCE", "TARGET") if slot in pattern), key=pattern.index)
    for slot, place in (("SOURCE", 0), ("TARGET", 1)):
        marks = f"[{''.join(sorted(_MARKS[triple[place]] for triple in TRIPLES[kind]))}]"
        listed = rf"(?P<{slot.lower()}>{marks}(?:(?:{words.joining}){marks}){{0,9}}){_CLOSING}"
        pattern = pattern.replace(slot, listed if slot == first else f"{articles}{listed}")
    gap = rf"(?: (?!(?:{words.negation})\b)\w+){{0,3}}"
    for word, meant in (("GAP", gap), ("ROLE", words.role), ("END", r"(?=\s*(?:[.,;!|)]|\Z))")):
        pattern = pattern.replace(word, meant)
    return rf"(?<!\w){pattern}(?!\w)"
