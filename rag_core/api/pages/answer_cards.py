"""View of an answer: its marks as links, its sources, and its degree of trust. No I/O."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo

from markupsafe import Markup

from rag_core.answering.quoting.markup import plain_lines
from rag_core.answering.rendering import Rendered, render
from rag_core.api.pages.cards import place_of, title_of
from rag_core.api.pages.cited_spans import written_span
from rag_core.api.pages.texts import Texts, counted, day_of, tr
from rag_core.guardrails import RedactionPolicy
from rag_core.guardrails.policies import Hiding, hiding
from rag_core.model.answer import CheckedCitation, Confidence, RefusalReason, Source
from rag_core.model.conversation import CitedSource, KeptAnswer, Turn
from rag_core.model.note import Language, Span

LEVELS: Mapping[Confidence, str] = Texts(
    {
        "high": "Confianza alta",
        "medium": "Confianza media",
        "low": "Confianza baja",
        "insufficient": "Sin respuesta",
    }
)
_REFUSALS: Mapping[RefusalReason, str] = Texts(
    {
        "nothing_asked": "era un saludo, no una pregunta",
        "no_notes": "todavía no hay notas",
        "nothing_found": "ninguna nota trata de eso",
        "insufficient_evidence": "lo que dicen tus notas queda demasiado lejos de la pregunta",
        "no_sentence_fits": "ninguna frase de tus notas se parece lo bastante a la pregunta",
        "model_refused": "el modelo de lenguaje no encontró la respuesta en tus notas",
        "no_valid_citation": "ninguna nota sostiene lo que se iba a responder",
        "not_grounded": "tus notas sostienen demasiado poco de lo que se iba a responder",
        "blocked": "lo que se iba a responder no puede mostrarse",
    }
)
_CLEAN: Mapping[Confidence, str] = Texts(
    {
        "high": "las notas tratan de la pregunta y dicen lo que se les atribuye",
        "medium": "las notas dicen lo que se les atribuye, pero puede que no respondan a toda la pregunta",
        "low": "las notas dicen lo que se les atribuye, pero solo tocan la pregunta de lejos",
    }
)
_CHECKS = Texts({"lexical": "comprobada por palabras", "judge": "comprobada por un modelo"})
_QUOTING = "extractive@"
_GENERATED = "generated:"
_MARK = Markup(
    '<span class="cite{kind}"><a href="{address}" aria-label="{name}" aria-describedby="{tip}">{text}</a>{sign}'
    '<span class="tip" id="{tip}" role="tooltip"><span>{quote}</span></span></span>'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A place of a source that is cited: its words, '' where none were found, and how they were held to the answer."""

    text: str
    address: str
    check: str
    is_supported: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCard:
    """A source that an answer cites."""

    number: int
    title: str
    address: str
    created_at: str
    date: str
    place: str
    language: Language
    quotes: list[Quote]


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestNote:
    """A note that a refusal refers to."""

    title: str
    address: str
    created_at: str
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCard:
    """A question of a conversation and its answer, as the page shows them."""

    query_id: UUID
    question: str
    standalone: str | None
    text: Markup
    language: Language
    confidence: Confidence
    level: str
    reason: str
    written_by: str | None
    warnings: tuple[str, ...]
    sources: list[SourceCard]
    nearest: list[NearestNote]
    search_address: str | None
    has_uncited: bool
    has_doubtful: bool
    rating: int | None
    comment: str | None


def turn_card(turn: Turn, *, session_id: UUID, zone: ZoneInfo, policy: RedactionPolicy) -> TurnCard:
    """The turn as it is shown; notes opened from it lead back to their conversation.

    With "redact" titles and quotes have placeholders; the addresses still lead to the words as they stand in the note.
    """
    answer = turn.answer
    hide = hiding(policy, answer.language)
    rendered = render(answer.checked, cast("Sequence[Source]", answer.sources), "numbered")  # it takes the number alone
    sources = {source.number: source for source in answer.sources}
    return TurnCard(
        query_id=turn.query_id,
        question=turn.question,
        standalone=turn.standalone,
        text=_linked(rendered, sources, hide, session_id=session_id, name=f"c{turn.query_id}"),
        language=answer.language,
        confidence=answer.confidence,
        level=LEVELS[answer.confidence],
        reason=_reason(answer),
        written_by=_written_by(answer),
        warnings=answer.warnings,
        sources=[
            _source_card(source, uses, hide, session_id=session_id, zone=zone)
            for source in answer.sources
            if (uses := [citation for citation in answer.citations if citation.number == source.number])
        ],
        nearest=[_nearest_note(source, hide, session_id=session_id, zone=zone) for source in answer.nearest],
        search_address=None
        if answer.refusal in {None, "nothing_asked"}
        else f"/?{urlencode({'q': turn.standalone or turn.question})}",
        has_uncited=bool(answer.uncited),
        has_doubtful=any(not citation.is_supported for citation in answer.citations),
        rating=turn.rating,
        comment=turn.comment,
    )


def citation_address(source: CitedSource, citation: CheckedCitation | None, *, session_id: UUID) -> str:
    """The page of the note, at the words that are cited where there are any."""
    parameters = {"sesion": str(session_id)}
    if citation is None or citation.evidence is None:
        return f"/notas/{source.note_id}?{urlencode(parameters)}"
    parameters["cita"] = written_span(citation.evidence, citation.quote)
    return f"/notas/{source.note_id}?{urlencode(parameters)}#pasaje"


def _linked(
    rendered: Rendered, sources: Mapping[int, CitedSource], hide: Hiding, *, session_id: UUID, name: str
) -> Markup:
    """The text with its marks as links and what cites nothing underlined."""
    pieces, end = list[Markup](), 0
    for place, citation in enumerate(rendered.citations):
        start, stop = citation.mark
        if start < end:  # a further place of the same source
            continue
        pieces += _plain(rendered, (end, start))
        source, text = sources[citation.number], rendered.text[start:stop]
        pieces.append(_mark(citation, source, text, hide, session_id=session_id, tip=f"{name}-{place}"))
        end = stop
    return Markup("").join([*pieces, *_plain(rendered, (end, len(rendered.text)))])


def _plain(rendered: Rendered, span: Span) -> Iterator[Markup]:
    """The text without marks, its uncited parts underlined."""
    start, end = span
    bounds = {bound for uncited in rendered.uncited for bound in uncited if start < bound < end}
    for first, last in pairwise(sorted({start, end} | bounds)):
        is_uncited = any(since <= first and last <= until for since, until in rendered.uncited)
        template = '<span class="uncited">{}</span>' if is_uncited else "{}"
        yield Markup(template).format(rendered.text[first:last])  # noqa: S704  one of two constants


def _mark(
    citation: CheckedCitation, source: CitedSource, text: str, hide: Hiding, *, session_id: UUID, tip: str
) -> Markup:
    is_held, title = citation.is_supported, hide(title_of(source.title))
    name = tr("Fuente {number}") if is_held else tr("Fuente {number}, no comprobada")
    return _MARK.format(
        kind="" if is_held else " doubtful",
        sign="" if is_held else Markup('<span class="doubt" aria-hidden="true">?</span>'),
        address=citation_address(source, citation, session_id=session_id),
        name=name.format(number=citation.number),
        text=text,
        tip=tip,
        quote=tr("«{quote}» {title}", quote=hide(citation.quote), title=title) if citation.quote else title,
    )


def _source_card(
    source: CitedSource, uses: Sequence[CheckedCitation], hide: Hiding, *, session_id: UUID, zone: ZoneInfo
) -> SourceCard:
    distinct = {(use.evidence, use.is_supported, use.verified_by): use for use in uses}
    return SourceCard(
        number=source.number,
        title=hide(title_of(source.title)),
        address=citation_address(source, uses[0], session_id=session_id),
        created_at=source.created_at.isoformat(),
        date=day_of(source.created_at, zone) if source.is_dated else "",
        place=place_of(source.page, source.page_unit),
        language=source.language,
        quotes=[
            Quote(
                text=hide(plain_lines(use.quote)),
                address=citation_address(source, use, session_id=session_id),
                check=_CHECKS[use.verified_by] if use.is_supported else tr("no comprobada: la nota no parece decirlo"),
                is_supported=use.is_supported,
            )
            for use in distinct.values()
        ],
    )


def _nearest_note(source: CitedSource, hide: Hiding, *, session_id: UUID, zone: ZoneInfo) -> NearestNote:
    return NearestNote(
        title=hide(title_of(source.title)),
        address=citation_address(source, None, session_id=session_id),
        created_at=source.created_at.isoformat(),
        date=day_of(source.created_at, zone) if source.is_dated else "",
    )


def _reason(answer: KeptAnswer) -> str:
    """Reason for the degree of trust in the answer."""
    if answer.refusal is not None:
        return _REFUSALS[answer.refusal]
    uncited = len(answer.uncited)
    doubtful = sum(not citation.is_supported for citation in answer.citations)
    faults = [
        counted("una cita no está comprobada", "{count} citas no están comprobadas", doubtful) if doubtful else "",
        counted("una frase no cita ninguna nota", "{count} frases no citan ninguna nota", uncited) if uncited else "",
    ]
    return tr(" y ").join(filter(None, faults)) or _CLEAN[answer.confidence]


def _written_by(answer: KeptAnswer) -> str | None:
    """Writer of the answer; a refusal has none unless a model wrote it."""
    if answer.refusal is not None and answer.refusal != "model_refused":
        return None
    if answer.answerer.startswith(_QUOTING):
        return tr("Frases de tus notas, tal como están en ellas: ningún modelo de lenguaje las ha escrito")
    model = answer.answerer.removeprefix(_GENERATED).rpartition("@")[0] or answer.answerer
    return tr("Escrita por el modelo de lenguaje {model} a partir de tus notas", model=model)
