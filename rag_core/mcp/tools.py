"""The tools: what each takes, how it is described to an assistant, and what it does.

Descriptions and refusals are in Spanish, like the other messages of Brain Sync's own routes.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rag_core.answering.answer import answer_events
from rag_core.answering.events import AnswerFinished, AnswerRequest
from rag_core.answering.sources.search_configuration import default_options
from rag_core.configuration.schema import configure
from rag_core.errors import AmbiguousNoteError, GuardrailError, ModelChangedError, NotFoundError
from rag_core.guardrails.incoming import problem_message
from rag_core.indexing.one_note import store_and_index
from rag_core.mcp.access import ToolAccess, ToolError
from rag_core.mcp.results import answer_result, note_result, place_of, search_result
from rag_core.model.note import Note
from rag_core.notes.validation import parse_note
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.filters import fetch_filters
from rag_core.retrieval.retrieve import retrieve
from rag_core.storage.facets import fetch_facets
from rag_core.storage.notes import fetch_note, find_note

SOURCE = "mcp"
"""Source of notes that an assistant creates."""


class ToolArguments(BaseModel):
    """Arguments of a tool; names that are not known are refused."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True)


class SearchArguments(ToolArguments):
    """Arguments of ``search``."""

    query: str = Field(description="Lo que se busca, con palabras propias.", examples=["reuniones con Rosa"])
    top_k: int = Field(5, ge=1, le=50, description="Número máximo de resultados.")
    since: str | None = Field(None, alias="from", description="Fecha ISO: notas de este día o posteriores.")
    until: str | None = Field(None, alias="to", description="Fecha ISO: notas hasta este día, incluido.")
    sources: list[str] = Field([], description="Solo notas de estas fuentes; list_sources las nombra.")
    tags: list[str] = Field([], description="Solo notas con alguna de estas etiquetas.")


class NoteArguments(ToolArguments):
    """Arguments of ``get_note``."""

    id: str = Field(description="El id de un resultado o de una cita; también vale el id externo, o fuente:id.")
    offset: int = Field(0, ge=0, description="Carácter desde el que se lee: el nextOffset de la lectura anterior.")


class AskArguments(ToolArguments):
    """Arguments of ``ask``."""

    question: str = Field(
        description="Una pregunta completa, comprensible sin la conversación.",
        examples=["¿Cuánto costó la caldera nueva?"],
    )


class SourcesArguments(ToolArguments):
    """Arguments of ``list_sources``: none."""


class CreateArguments(ToolArguments):
    """Arguments of ``create_note``."""

    content: str = Field(description="El texto de la nota, en Markdown.")
    title: str | None = Field(None, description="Su título.")
    tags: list[str] = Field([], description="Sus etiquetas.")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteTool:
    """A tool; ``run`` gets the arguments as ``arguments`` has read them. One that ``is_answering`` may wait for a language model."""

    name: str
    title: str
    description: str
    arguments: type[ToolArguments]
    run: Callable[[ToolAccess, Any, Cancellation], dict[str, Any]]
    is_answering: bool = False
    is_writing: bool = False


def _search(access: ToolAccess, asked: SearchArguments, cancellation: Cancellation) -> dict[str, Any]:
    engine, tenant = access.engine, access.engine.tenant()
    given = asked.model_dump(by_alias=True, include={"since", "until", "sources", "tags"})
    conditions = {name: value for name, value in given.items() if value}
    zone, timeout_ms = engine.settings.zone, access.timeout_ms
    found = retrieve(
        engine,
        tenant,
        asked.query,
        config=configure(top_k=asked.top_k, base=engine.served_config(tenant)),
        filters=fetch_filters(engine.database, tenant, conditions, zone=zone, timeout_ms=timeout_ms),
        timeout_ms=timeout_ms,
        cancellation=cancellation,
    )
    return search_result(found, engine.settings)


def _get_note(access: ToolAccess, asked: NoteArguments, _cancellation: Cancellation) -> dict[str, Any]:
    return note_result(read_note(access, asked.id), access.engine.settings, offset=asked.offset)


def read_note(access: ToolAccess, name: str) -> Note:
    """The note of that id, external id or ``source:id``.

    Raises:
        ToolError: there is none, or several are called so.
    """
    if "\0" in name:
        raise ToolError("El id tiene un carácter nulo; usa el id que devuelven search y ask")
    tenant = access.engine.tenant()
    with access.engine.database.transaction(tenant, timeout_ms=access.timeout_ms) as connection:
        try:
            return fetch_note(connection, tenant, find_note(connection, tenant, name))
        except NotFoundError as error:
            raise ToolError(f"No existe ninguna nota «{name}»; usa el id que devuelven search y ask") from error
        except AmbiguousNoteError as error:
            raise ToolError(f"«{name}» está en varias fuentes; escribe uno de {', '.join(error.choices)}") from error


def _ask(access: ToolAccess, asked: AskArguments, cancellation: Cancellation) -> dict[str, Any]:
    engine, caller = access.engine, access.caller
    request = AnswerRequest(
        question=asked.question,
        contract="chat",
        user_hash=caller.user_hash,
        options=default_options(engine.settings),
        is_trusted=caller.is_trusted,
    )
    try:
        *_, last = answer_events(
            engine, engine.tenant(), request, cancellation=cancellation, check_rate=access.check_rate
        )
    except GuardrailError as error:
        raise ToolError(problem_message(error, "es")) from error
    assert isinstance(last, AnswerFinished)
    return answer_result(last.answer, engine.settings)


def _list_sources(access: ToolAccess, _asked: SourcesArguments, _cancellation: Cancellation) -> dict[str, Any]:
    engine = access.engine
    found = fetch_facets(engine.database, engine.tenant(), timeout_ms=access.timeout_ms)
    return {"sources": list(found.sources), "languages": list(found.languages), "tags": list(found.tags)}


def _create_note(access: ToolAccess, asked: CreateArguments, _cancellation: Cancellation) -> dict[str, Any]:
    engine = access.engine
    note = parse_note(
        external_id=str(uuid4()),
        source=SOURCE,
        title=asked.title,
        text=asked.content,
        created_at=None,
        language=None,
        metadata={"tags": asked.tags} if asked.tags else None,
        zone=engine.settings.zone,
        max_characters=engine.settings.max_note_characters,
    )
    try:
        stored = store_and_index(
            engine.database,
            engine.writing_tenant(),
            replace(note, dated_by="given"),  # it is written now
            engine.pipeline,
            expected="new",
            lock_timeout_ms=access.timeout_ms,
        )
    except ModelChangedError as error:
        raise ToolError("El modelo acaba de cambiar y la nota no se ha guardado; inténtalo de nuevo") from error
    return place_of(stored.note_id, engine.settings)


TOOLS = (
    NoteTool(
        name="search",
        title="Buscar en las notas",
        description="Busca pasajes en las notas y los documentos de esta persona, el mejor primero: título, fragmento, id, puntuación "
        "y enlace. Entiende preguntas enteras en español, alemán e inglés, y fechas como «la semana pasada». El texto "
        "completo se lee con get_note y el id. Para una respuesta con citas comprobadas, usa ask.",
        arguments=SearchArguments,
        run=_search,
    ),
    NoteTool(
        name="get_note",
        title="Leer una nota",
        description="Devuelve una nota con su texto completo, por el id que dan search y ask. Una nota larga viene por partes: sigue "
        "leyendo con offset = nextOffset hasta que sea null.",
        arguments=NoteArguments,
        run=_get_note,
    ),
    NoteTool(
        name="ask",
        title="Preguntar a las notas",
        description="Responde una pregunta solo con lo que dicen las notas. Cada afirmación lleva una marca como [N1], que nombra una "
        "cita. Si las notas no la responden, refusal dice por qué y nearest nombra las notas más cercanas; no inventes la respuesta.",
        arguments=AskArguments,
        run=_ask,
        is_answering=True,
    ),
    NoteTool(
        name="list_sources",
        title="Ver las fuentes",
        description="Nombra las fuentes, los idiomas y las etiquetas de las notas, con los que search se puede acotar.",
        arguments=SourcesArguments,
        run=_list_sources,
    ),
    NoteTool(
        name="create_note",
        title="Crear una nota",
        description="Guarda una nota nueva, que se encuentra desde la siguiente búsqueda, y devuelve su id. No cambia ninguna otra.",
        arguments=CreateArguments,
        run=_create_note,
        is_writing=True,
    ),
)
