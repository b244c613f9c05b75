"""Views of a search, a note and a date: values for the templates, in the reader's language. No I/O."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from zoneinfo import ZoneInfo

from markupsafe import Markup

from rag_core.answering.quoting.markup import plain_lines
from rag_core.api.pages.highlights import excerpt, marked
from rag_core.api.pages.plain_passages import plain_passage
from rag_core.api.pages.texts import Texts, day_of, decimal, localised, spoken, tr
from rag_core.model.document import PageUnit
from rag_core.model.graph import CausalDirection
from rag_core.model.note import WRITTEN_DAYS, Language, Note, NoteId
from rag_core.model.retrieval import Hit, Retrieval, Strategy
from rag_core.retrieval.passages import word_beginnings
from rag_core.wire.understood import Understood, causal_chain, causal_steps, understood

Evidence = Mapping[tuple[str, str], NoteId]
"""The note that says that the first entity led to the second, by their ids."""

DEFAULT_MODE = "hibrida"
STRATEGIES: Mapping[str, Strategy] = {"hibrida": "hybrid+rerank", "significado": "semantic", "palabras": "fulltext"}
LEAST_OF_BEST = 0.4
"""Results that score less of the best are folded away.

On the demo's golden set that leaves 5.1 of 9.6 results, and 87 of the 94 relevant ones; at 0.3 it is 7.0 and 90, at 0.5 3.3 and 78.
"""
_LEGS = Texts(
    {
        "fulltext": "por palabras",
        "semantic": "por significado",
        "graph": "por causa y efecto",
        "names": "por nombres en común",
    }
)
_STAGES = Texts(
    {
        "queryTransformation": "preparar la consulta",
        "retrieval": "buscar",
        "reranking": "reordenar",
        "contextExpansion": "leer los pasajes",
    }
)

_BLANK_LINES = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Place of a result in one leg of the search; ``percent`` is the length of its bar."""

    name: str
    value: str
    percent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link of a causal chain: what it is called, and the note that says that the link before led to it."""

    name: str
    address: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One result as the page shows it."""

    title: str
    address: str
    source: str
    created_at: str
    date: str
    place: str
    passage: Markup
    full_passage: Markup | None
    parts: list[Part]
    chain: list[Link]
    language: Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The results of a search as the page shows them: ``cards`` at once, ``further`` for whoever wants more."""

    cards: list[Card]
    further: list[Card]
    understood: Understood | None
    imagined: str | None
    warnings: tuple[str, ...]
    total: str
    timings: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentNote:
    """A note in the list of the newest."""

    title: str
    address: str
    created_at: str
    date: str
    beginning: str


def strategies(*, knows_meaning: bool) -> Mapping[str, tuple[str, str]]:
    """Label and hint of each search mode; without a model of meaning none of them promises meanings."""
    both, semantic = (
        (
            tr("por significado y por palabras a la vez, y lo mejor reordenado"),
            (tr("Por significado"), tr("aunque las palabras sean otras")),
        )
        if knows_meaning
        else (
            tr("por palabras y por parecido a la vez, y lo mejor reordenado"),
            (tr("Por parecido"), tr("palabras que se escriben parecido: el modelo en uso no conoce significados")),
        )
    )
    return {
        DEFAULT_MODE: (tr("Híbrida"), both),
        "significado": semantic,
        "palabras": (tr("Por palabras"), tr("las que escribes, en cualquiera de sus formas")),
    }


def title_of(title: str | None) -> str:
    """The title of a note, or words for none."""
    return title or tr("Nota sin título")


_PLACES = Texts(
    {"page": "página {page}", "slide": "diapositiva {page}", "sheet": "hoja {page}", "section": "sección {page}"}
)


def place_of(page: int | None, unit: PageUnit | None) -> str:
    """The page of a document in words; '' where none is known."""
    return "" if page is None else _PLACES[unit or "page"].format(page=page)


def shown(found: Retrieval, *, parameters: str, evidence: Evidence, zone: ZoneInfo, knows_meaning: bool) -> Found:
    """The results of a search, what was understood, and how long its stages took.

    ``parameters`` are the search's own, as a query string: a note's page leads back with them. ``evidence`` is the note
    that says that one entity led to another. ``knows_meaning`` names the semantic leg.
    """
    words = word_beginnings(found.query)
    stages = ", ".join(f"{_STAGES[name]} {decimal(ms)} ms" for name, ms in found.stages.items() if name in _STAGES)
    direction = found.transformed.direction if found.transformed else None
    legs = dict(_LEGS) | ({} if knows_meaning else {"semantic": tr("por parecido")})
    cards = [
        _card(
            hit,
            parameters=parameters,
            words=words,
            zone=zone,
            chain=_chain(hit, direction, evidence),
            legs=legs,
        )
        for hit in found.hits
    ]
    said = understood(found, zone=zone, language=spoken())
    count = worth_reading([hit.score for hit in found.hits])
    return Found(
        cards=cards[:count],
        further=cards[count:],
        understood=None if said is None else replace(said, intent=localised(said.intent)),
        imagined=found.transformed.hyde_answer if found.transformed else None,
        warnings=tuple(map(localised, found.warnings)),
        total=f"{decimal(found.latency_ms)} ms",
        timings=stages,
    )


def worth_reading(scores: Sequence[float]) -> int:
    """Number of results shown at once: those up to the last that scores 0.4 of the best, at least one; without any 0.

    A score that is no number is like none of the best, and one below 0 is as good as 0.
    """
    known = [0.0 if math.isnan(score) else max(0.0, score) for score in scores]
    least = LEAST_OF_BEST * max(known, default=0.0)
    return max((place for place, score in enumerate(known, start=1) if score >= least), default=0)


def _card(
    hit: Hit, *, parameters: str, words: set[str], zone: ZoneInfo, chain: list[Link], legs: Mapping[str, str]
) -> Card:
    text, spans = plain_passage(hit.expanded_content, [*hit.matched_spans, hit.bounds])
    start, stop = excerpt(text, spans[-1], words)
    is_cut = (start, stop) != (0, len(text))
    shifted = [(a - start, b - start) for a, b in spans]
    passage = marked(text[start:stop].rstrip(), shifted, words)
    return Card(
        title=title_of(hit.title),
        address=f"/notas/{hit.note_id}?fragmento={hit.chunk_id}&{parameters}#pasaje",
        source=hit.source,
        created_at=hit.created_at.isoformat(),
        date=day_of(hit.created_at, zone) if hit.is_dated else "",
        place=place_of(hit.page, hit.page_unit),
        passage=_with_ellipses(passage, at_start=start > 0, at_end=stop < len(text)),
        full_passage=marked(text, spans, words) if is_cut else None,
        parts=_parts(hit, legs),
        chain=chain,
        language=hit.language,
    )


def _parts(hit: Hit, legs: Mapping[str, str]) -> list[Part]:
    """The result's best place in each leg, the bar as long as one over it.

    Scores are not shown: they order the results of one query, and mean nothing beside those of another.
    """
    best: dict[str, int] = {}
    for ranking, rank in hit.ranks.items():
        leg = ranking.partition(":")[0]
        best[leg] = min(rank, best.get(leg, rank))
    return [
        Part(name=name, value=tr("n.º {rank}", rank=best[leg]), percent=round(100 / best[leg]))
        for leg, name in legs.items()
        if leg in best
    ]


def _chain(hit: Hit, direction: CausalDirection | None, evidence: Evidence) -> list[Link]:
    """The causal path from cause to effect, each step with the note it is read from."""
    names, steps = causal_chain(hit, direction), causal_steps(hit, direction)
    notes = [None, *map(evidence.get, steps)]
    return [
        Link(name=name, address=f"/notas/{note}" if note else None) for name, note in zip_longest(names, notes) if name
    ]


def _with_ellipses(passage: Markup, *, at_start: bool, at_end: bool) -> Markup:
    compact = Markup(_BLANK_LINES.sub("\n", passage))  # noqa: S704  escaped already
    return Markup("{}{}{}").format("… " if at_start else "", compact, " …" if at_end else "")


def recent_note(note: Note, *, zone: ZoneInfo) -> RecentNote:
    """The note with its beginning on one line, without marks of Markdown and a first heading that is its title."""
    heading, _, rest = note.content[:400].partition("\n")
    beginning = rest if heading.startswith("#") and heading.strip("# ") == note.title else note.content[:400]
    return RecentNote(
        title=title_of(note.title),
        address=f"/notas/{note.id}",
        created_at=note.created_at.isoformat(),
        date=day_of(note.created_at, zone) if note.dated_by in WRITTEN_DAYS else "",
        beginning=" ".join(plain_lines(beginning).split())[:160],
    )


def tags_of(note: Note) -> list[str]:
    """The tags that stand in the note's metadata."""
    tags = note.metadata.get("tags")
    return [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
