"""The web page, rendered on the server: the search at ``/`` and a note at ``/notas/{id}``.

It works without JavaScript and asks the same core as the API.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from markupsafe import Markup

from rag_core.api.access import Context, RequestContext
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.pages.cards import (
    DEFAULT_MODE,
    Evidence,
    Found,
    RecentNote,
    place_of,
    recent_note,
    shown,
    strategies,
    tags_of,
    title_of,
)
from rag_core.api.pages.cited_spans import read_span
from rag_core.api.pages.highlights import marked
from rag_core.api.pages.note_actions import note_actions
from rag_core.api.pages.note_entities import entities_of_note
from rag_core.api.pages.note_facts import note_facts
from rag_core.api.pages.note_links import NoteLinks, linked_notes
from rag_core.api.pages.opinions import IsRead, Opinion, note_opened, opinion_on
from rag_core.api.pages.original_pages import passage_place
from rag_core.api.pages.related_notes import related_notes
from rag_core.api.pages.rendering import rendered_note
from rag_core.api.pages.search_address import DOCUMENT_TYPES, LANGUAGES, RESULTS, PageSearch, in_words, page_search
from rag_core.api.pages.texts import Texts, day_of, localised, tr
from rag_core.api.pages.web import render
from rag_core.api.searching import find, find_live, read_filters
from rag_core.api.streaming import searched
from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG, configure
from rag_core.embedding import knows_meaning
from rag_core.errors import InvalidInputError, NotFoundError
from rag_core.experiments.live_query import Answered
from rag_core.folders.front_matter import start_of_fields, told_fields
from rag_core.model.note import ChunkId, Note, NoteId, Span, TenantId, tag_key
from rag_core.model.retrieval import Filters, Retrieval
from rag_core.operation.demo_corpus import SEARCHABLE
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.passages import best_passage, word_beginnings
from rag_core.runtime.engine import DEMO_TENANT
from rag_core.storage.facets import fetch_facets, fetch_path_evidence
from rag_core.storage.notes import count_notes, fetch_note, list_notes
from rag_core.storage.search import fetch_spans
from rag_core.wire.understood import causal_steps

RECENT_NOTES = 6
SUGGESTED_TAGS = 10
PASSAGE = "pasaje"
"""Id of what is marked in a note."""
_DATED_BY = Texts({"file": "fecha del archivo", "import": "día de la importación"})
_FIELD_NAMES = Texts({"aliases": "otros nombres", "author": "autor"})

router = APIRouter(include_in_schema=False)
SearchAddress = Annotated[PageSearch, Depends(page_search)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Owner and number of the notes that are shown."""

    tenant: TenantId
    notes: int
    indexed: int

    @property
    def is_demo(self) -> bool:
        """True when these are the notes that come with the program."""
        return self.tenant == DEMO_TENANT


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchProblem:
    """Problem that prevented a search, in the query or in its conditions."""

    text: str
    is_of_query: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FormChoice:
    """A value to tick."""

    value: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FormChoices:
    """Choices that the form offers; ``more_tags`` are suggestions while typing."""

    sources: list[FormChoice]
    languages: list[FormChoice]
    types: list[FormChoice]
    tags: list[FormChoice]
    more_tags: Sequence[str]


@router.get("/")
async def home(
    request: Request, context: Context, search: SearchAddress, *, is_read: IsRead, consulta: str = ""
) -> Response:
    """The search box, and what it finds; ``consulta`` names the answer of an experiment that a reader comes back to.

    A search that a link of another origin's page asks for takes part in no experiment.
    """
    repeated = as_uuid(consulta)
    return await searched(
        request,
        lambda cancellation: _home(context, search, is_live=is_read, repeated=repeated, cancellation=cancellation),
    )


def _home(
    context: RequestContext, search: PageSearch, *, is_live: bool, repeated: UUID | None, cancellation: Cancellation
) -> Response:
    shelf, is_by_meaning = read_shelf(context), knows_meaning(context.engine.model)
    found, answer_id, problem = None, None, None
    if search.query is not None:
        found, answer_id, problem = _search(
            context, search, is_live=is_live, repeated=repeated, cancellation=cancellation
        )
    is_start = found is None and shelf.notes > 0
    return render(
        "home.html",
        shelf=shelf,
        asked=search,
        query=search.query or "",
        strategies=strategies(knows_meaning=is_by_meaning),
        knows_meaning=is_by_meaning,
        languages=LANGUAGES,
        types=DOCUMENT_TYPES,
        choices=_choices(context, search) if shelf.notes else None,
        found=found,
        opinion=_opinion(search, answer_id),
        problem=problem,
        recent=_recent(context) if is_start else [],
        questions=SEARCHABLE if is_start and shelf.is_demo else (),
    )


@router.get("/notas/{note_id}")
def show_note(
    note_id: str,
    request: Request,
    context: Context,
    search: SearchAddress,
    *,
    is_read: IsRead,
    fragmento: str | None = None,
    consulta: str = "",
    cita: str = "",
    sesion: str = "",
    pagina: str = "",
) -> Response:
    """A whole note; where it was found, or what an answer cites of it, is marked and has the anchor ``#pasaje``.

    ``consulta`` names the answer of an experiment that led here, ``cita`` the span that an answer cites, ``sesion`` its conversation,
    ``pagina`` another page of the original than the passage's.
    """
    shelf, query = read_shelf(context), search.query or ""
    note = read_note(context, note_id)
    answer_id = as_uuid(consulta)
    is_asked = is_read and answer_id is not None and note_opened(context, answer_id, note.id)
    back, back_to = _way_back(search, answer_id, as_uuid(sesion))
    span = read_span(cita, note.content) if cita else _matched_span(context, note, fragmento, query)
    spans, words = ([], set()) if span is None else ([span], word_beginnings(query))
    links = linked_notes(context, note.id)
    parameters = request.query_params.multi_items()
    asked = "" if cita else query
    place = passage_place(context, note, span, query=asked, wanted=pagina, parameters=parameters)
    return render(
        "note.html",
        shelf=shelf,
        note=note,
        title=title_of(note.title),
        date=day_of(note.created_at, context.zone),
        dated_by=_DATED_BY.get(note.dated_by),
        place=place_of(place.page, place.unit),
        original=place.original,
        file=place.file,
        links=links,
        text=_note_text(note, spans, words, links),
        tags=tags_of(note),
        facts=note_facts(context, note.id),
        entities=entities_of_note(context, note.id),
        related=related_notes(context, note.id),
        fields=[(_FIELD_NAMES.get(name, name), value) for name, value in told_fields(note.metadata)],
        actions=note_actions(context, note.id),
        has_passage=span is not None,
        back=back,
        back_to=back_to,
        is_changed=bool(cita) and span is None,
        opinion=opinion_on(answer_id, question=tr("¿Responde esta nota a tu búsqueda?"), back=back, note_id=note.id)
        if answer_id and is_asked
        else None,
    )


def _note_text(note: Note, spans: Sequence[Span], words: set[str], links: NoteLinks) -> Markup:
    """The text as it is read; the fields behind it stand above it already, and are shown again only where one is marked."""
    if not links.is_markdown:
        return marked(note.content, spans, words, anchor=PASSAGE)
    end = start_of_fields(note.content, note.metadata)
    if any(start >= end for start, _ in spans):
        end = len(note.content)
    within = [(start, min(stop, end)) for start, stop in spans]
    resolved = [link for link in links.resolved if link.end <= end]
    return rendered_note(note.content[:end], within, words, links=resolved, anchor=PASSAGE, title=note.title)


def _way_back(search: PageSearch, answer_id: UUID | None, session_id: UUID | None) -> tuple[str, str]:
    """Address and name of the page that the reader of a note comes from."""
    if session_id is not None:
        return f"/preguntar?sesion={session_id}", tr("Volver a la conversación")
    if search.query:
        return _with_answer(search.address(), answer_id), tr("Volver a los resultados")
    return "/", tr("Buscar en las notas")


def read_shelf(context: RequestContext) -> Shelf:
    """Count the notes that the caller sees."""
    with context.transaction() as connection:
        counts = count_notes(connection, context.tenant)
    return Shelf(tenant=context.tenant, notes=counts["notes"], indexed=counts["indexed"])


def _search(
    context: RequestContext, search: PageSearch, *, is_live: bool, repeated: UUID | None, cancellation: Cancellation
) -> tuple[Found | None, UUID | None, SearchProblem | None]:
    """Search; return the results and their id in an experiment, or the problem of the query or its conditions."""
    try:
        filters = read_filters(context, search.filters)
    except InvalidInputError as error:
        return None, None, SearchProblem(text=in_words(str(error)), is_of_query=False)
    try:
        answered = _answered(context, search, filters, is_live=is_live, repeated=repeated, cancellation=cancellation)
    except InvalidInputError as error:
        return None, None, SearchProblem(text=localised(str(error)), is_of_query=True)
    found, part = answered.retrieval, answered.participation
    answer_id = None if part is None else part.query_id
    cards = shown(
        found,
        parameters=_with_answer(search.parameters(), answer_id),
        evidence=_evidence(context, found),
        zone=context.zone,
        knows_meaning=knows_meaning(context.engine.model),
    )
    return cards, answer_id, None


def _answered(
    context: RequestContext,
    search: PageSearch,
    filters: Filters,
    *,
    is_live: bool,
    repeated: UUID | None,
    cancellation: Cancellation,
) -> Answered:
    """Search; with ``is_live`` a search left as the page offers it may take part in an experiment."""
    served, query = context.served().config, search.query or ""
    config = search.config(served)
    is_usual = search.mode == DEFAULT_MODE and config == configure(top_k=RESULTS, base=served)
    if is_usual and is_live:
        return find_live(context, query, top_k=RESULTS, filters=filters, repeated=repeated, cancellation=cancellation)
    return Answered(retrieval=find(context, query, config, filters, cancellation=cancellation))


def _with_answer(parameters: str, answer_id: UUID | None) -> str:
    """The address with the answer that a reader comes from."""
    return parameters if answer_id is None else f"{parameters}&consulta={answer_id}"


def _opinion(search: PageSearch, answer_id: UUID | None) -> Opinion | None:
    """The buttons under the results of an experiment."""
    if answer_id is None:
        return None
    return opinion_on(
        answer_id, question=tr("¿Te han servido estos resultados?"), back=_with_answer(search.address(), answer_id)
    )


def _evidence(context: RequestContext, found: Retrieval) -> Evidence:
    direction = found.transformed.direction if found.transformed else None
    steps = {step for hit in found.hits for step in causal_steps(hit, direction)}
    return fetch_path_evidence(context.database, context.tenant, steps, timeout_ms=context.timeout_ms)


def _choices(context: RequestContext, search: PageSearch) -> FormChoices:
    """Values that the conditions can have, those that hold first."""
    facets = fetch_facets(context.database, context.tenant, timeout_ms=context.timeout_ms)
    return FormChoices(
        sources=_offered(search.sources, facets.sources),
        languages=_offered(search.languages, facets.languages),
        types=_offered(search.types, facets.types),
        tags=_offered(search.tags, facets.tags[:SUGGESTED_TAGS]),
        more_tags=facets.tags[SUGGESTED_TAGS:],
    )


def _offered(chosen: Sequence[str], known: Sequence[str]) -> list[FormChoice]:
    """The values to tick; a single one that is not ticked is no choice."""
    ticked = {tag_key(value) for value in chosen}
    values = {tag_key(value): value for value in [*known, *chosen]}
    offered = [FormChoice(value=value, is_chosen=key in ticked) for key, value in values.items()]
    return offered if len(offered) > 1 or ticked else []


def _recent(context: RequestContext) -> list[RecentNote]:
    with context.transaction() as connection:
        notes = list_notes(connection, context.tenant, limit=RECENT_NOTES)
    return [recent_note(note, zone=context.zone) for note in notes]


def read_note(context: RequestContext, note_id: str) -> Note:
    """The note of an address.

    Raises:
        ExplainedError: there is none.
    """
    wanted, no_such = as_uuid(note_id), tr("No existe ninguna nota con ese identificador")
    if wanted is None:
        raise ExplainedError(no_such, kind=NotFoundError)
    with explained(NotFoundError, no_such), context.transaction() as connection:
        return fetch_note(connection, context.tenant, NoteId(wanted))


def _matched_span(context: RequestContext, note: Note, chunk: str | None, query: str) -> Span | None:
    """Span of the chunk in the note; None when it is not one of its chunks any more."""
    wanted = None if chunk is None else as_uuid(chunk)
    if wanted is None:
        return None
    chunk_id = ChunkId(wanted)
    spans = fetch_spans(context.database, context.tenant, [chunk_id], before=0, after=0, timeout_ms=context.timeout_ms)
    found = spans.get(chunk_id)
    if found is None or found.note_id != note.id:
        return None
    return _passage_span(note, query) if found.is_whole_note else found.span


def _passage_span(note: Note, query: str) -> Span:
    """The passage that a search shows of a note that is not chunked yet."""
    sizes = DEFAULT_RETRIEVAL_CONFIG.chunking
    chosen, _ = best_passage(note.content, query, language=note.language, sizes=sizes, before=0, after=0)
    return chosen


def as_uuid(text: str) -> UUID | None:
    """The id that is written there; None where none is."""
    try:
        return UUID(text)
    except ValueError:
        return None
