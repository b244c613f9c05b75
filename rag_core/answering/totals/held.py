"""Sums as answers state them, held to the rows of their sources. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from rag_core.language.amounts import amounts_in
from rag_core.model.answer import Source
from rag_core.model.note import Span

_LEAST_TERMS = 2
_LINE = re.compile(r"[^\n]+")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Term:
    value: Decimal
    words: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Line:
    number: int
    span: Span
    values: Sequence[Decimal]
    words: frozenset[str]

    def has(self, term: _Term) -> bool:
        """Test whether the line may be the term: it has the amount and the label, whose last word may be cut."""
        *whole, last = term.words or [""]
        return (
            term.value in self.values
            and self.words.issuperset(whole)
            and (not last or any(word.startswith(last) for word in self.words))
        )


def evidence_of_total(claim: str, sources: Sequence[Source]) -> Mapping[int, tuple[Span, ...]]:
    """The lines of sources, by their numbers, that hold a sum as ``Total.text`` writes it: every term stands there, and it adds up.

    Each source that has all terms holds it; where none does, all those that have some hold it together. Where it is not plain which
    lines the terms are, they are all from the first that may be one to the last. {} for what is no sum, or does not hold.
    """
    terms = _terms_of(claim)
    if not terms:
        return {}
    alone = [_held(terms, [source]) for source in sources]
    held = {number: lines for found in alone for number, lines in found.items()}
    return held or _held(terms, sources)


def _terms_of(claim: str) -> Sequence[_Term]:
    """The terms of a sum that is computed right; none of anything else."""
    head, _, tail = claim.partition(": ")
    said = [amount.value for amount in amounts_in(head)]
    parts = tail.split(" + ")
    values = [amount.value for part in parts if (amount := next(amounts_in(part), None)) is not None]
    if len(said) != 1 or len(values) < max(_LEAST_TERMS, len(parts)) or sum(values) != said[0]:
        return ()
    labels = (part.partition("(")[2].casefold() for part in parts)
    return [_Term(value=value, words=_WORD.findall(label)) for value, label in zip(values, labels, strict=True)]


def _held(terms: Sequence[_Term], sources: Iterable[Source]) -> dict[int, tuple[Span, ...]]:
    lines = [line for source in sources for line in _lines_of(source)]
    wanted = Counter(term.value for term in terms)
    if wanted - Counter(value for line in lines for value in line.values):
        return {}
    first, last = _aligned(terms, lines), _aligned(terms[::-1], lines[::-1])[::-1]
    is_plain = len(first) == len(terms) and first == last
    rows = first if is_plain else [line for line in lines if not wanted.keys().isdisjoint(line.values)]
    found: dict[int, tuple[Span, ...]] = {}
    for row in rows:
        *earlier, (start, end) = found.get(row.number, (row.span,))
        is_next = not is_plain or row.span[0] <= end + 1
        found[row.number] = (*earlier, (start, row.span[1])) if is_next else (*earlier, (start, end), row.span)
    return found


def _aligned(terms: Sequence[_Term], lines: Sequence[_Line]) -> list[_Line]:
    """The first lines that may be the terms in their order."""
    rest = iter(lines)
    found = (next((line for line in rest if line.has(term)), None) for term in terms)
    return [line for line in found if line is not None]


def _lines_of(source: Source) -> Iterator[_Line]:
    for match in _LINE.finditer(source.original):
        yield _Line(
            number=source.number,
            span=match.span(),
            values=[amount.value for amount in amounts_in(match[0])],
            words=frozenset(_WORD.findall(match[0].casefold())),
        )
