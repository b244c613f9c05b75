"""The shapes on the wire: camelCase, nothing unknown taken, no type guessed. OpenAPI is made from them."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rag_core.language.languages import LanguageChoice
from rag_core.model.document import PageUnit
from rag_core.model.experiment import Arm
from rag_core.model.golden import Category
from rag_core.model.retrieval import Intent, RetrievalMethod, Strategy
from rag_core.notes.validation import is_storable
from rag_core.retrieval.filters import FilterFields

_MOMENT = "2025-03-03T08:00:00Z"
_NOTE_ID = "660e8400-e29b-41d4-a716-446655440001"


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("no puede estar en blanco")
    return text


def _storable(text: str) -> str:
    if not is_storable(text):
        raise ValueError("contiene un carácter no admitido")
    return text


Given = Annotated[str, AfterValidator(_not_blank)]
"""A text with something in it."""
Text = Annotated[str, AfterValidator(_storable)]
"""A text that the database can hold, where nothing behind the route looks at its characters."""
Name = Annotated[Text, AfterValidator(_not_blank)]
"""Name of something stored."""
Id = Annotated[UUID, Field(strict=False)]
"""JSON has no UUIDs, so this one type is read from a text."""
Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"}, examples=[_MOMENT])]
Score = Annotated[float, Field(ge=0, le=1)]

LEVEL = Field(description="2: a passage; 0: a whole document that is not chunked yet. Sections are level 1.")
PARENT = Field(
    description="The section that the passage begins in, by its `id` in the document's structure, else the document; null at level 0."
)
PAGE = Field(None, description="Page of the document on which the passage begins; null or absent where none is known.")
UNIT = Field(None, description="Unit of `page`.")
BLOCK = Field(None, description="Number of the first block of the document that holds the passage on `page`, from 0.")
BOX = Field(
    None,
    description="Box around the passage on `page`: left, top, right and bottom in points from the upper left corner of the page as "
    "it is shown; `GET /api/v2/documents/{documentId}/pages/{page}?box=` draws it. Null where it is not known.",
)


class _Request(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)


class _Response(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, frozen=True)


class ErrorBody(_Response):
    """Body of every failed request, in Spanish."""

    error: str = Field(description="The kind of failure.", examples=["Parámetros inválidos"])
    details: str = Field(description="What to change.", examples=["La consulta no puede estar vacía"])


_STATUS = {
    400: "Invalid parameters.",
    404: "There is no such thing.",
    409: "It exists already.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    429: "The limit of unfinished jobs is reached.",
    500: "Every leg of the search failed, or a defect.",
    503: "The database cannot be reached, or its disk is full; try again later.",
    504: "The time ran out before anything was found.",
}


def failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The failures of an endpoint, for OpenAPI."""
    return {status: {"model": ErrorBody, "description": _STATUS[status]} for status in statuses}


class RetrieveRequest(_Request):
    """A query, and what differs from the defaults."""

    query: str = Field(
        description="What is looked for, in one's own words; 1 to 2,000 characters after trimming.",
        examples=["¿Por qué me siento ansioso cuando tengo conflictos en el trabajo?"],
    )
    config: dict[str, Any] | None = Field(
        None,
        description="Part of a configuration, merged deeply over the defaults; unknown keys are refused.",
        examples=[{"hybridSearch": {"method": "rrf"}, "topK": {"final": 5}}],
    )
    top_k: int | None = Field(None, ge=1, le=50, description="Results at most; wins over `config.topK.final`.")
    strategy: Strategy | None = Field(None, description="Wins over `config.strategy`; default `hybrid+rerank`.")
    filters: FilterFields | None = Field(
        None,
        description="Which notes may be found, in every leg of the search and in the causal graph.",
        examples=[{"from": "2025-03-01", "to": "2025-03-31", "tags": ["trabajo"]}],
    )


class SpanOut(_Response):
    """Code points of `expandedContent`, half-open."""

    start: int
    end: int


class ResultMetadata(_Response):
    """Origin of a result in the search."""

    chunk_index: int
    matched_chunk_bounds: SpanOut = Field(description="Where `content` stands in `expandedContent`.")
    matched_spans: list[SpanOut] = Field(description="All chunks that were joined into this window.")
    retrieval_method: RetrievalMethod = Field(description="The leg that found it; `hybrid` if several did.")
    fusion_score: float = Field(description="What the fusion computed; for RRF the raw sum.")
    ranks: dict[str, int] = Field(
        description="Rank in each search that found it, from 1: `semantic`, `fulltext` and `graph` for the query itself, "
        "with `:1`, `:2` for its parts, `:time` for the time it names, `:hyde` for the imagined answer."
    )
    original_score: Score | None = Field(None, description="`score` before re-ranking; absent without it.")
    rerank_score: Score | None = Field(None, description="What the re-ranker gave; absent without it.")
    is_above_threshold: bool | None = Field(
        None, description="Whether `rerankScore` reaches BRAIN_ANSWER_RERANK_SCORE; null where it is no probability."
    )
    causal_path: list[str] | None = Field(
        None, description="Ids of the entities from the one asked for to this one; absent unless the graph found it."
    )
    causal_path_names: list[str] | None = Field(None, description="What those entities are called, in the same order.")
    is_dated: bool | None = Field(
        None,
        description="False where `createdAt` is a file's time or that of the import, a day that nobody wrote; else absent.",
    )
    page: int | None = PAGE
    page_unit: PageUnit | None = UNIT
    block: int | None = BLOCK
    box: list[float] | None = BOX


class Result(_Response):
    """A passage: the matched chunk, and the sentences around it."""

    chunk_id: str
    note_id: str
    external_id: str
    source: str
    title: str | None
    created_at: Moment
    content: str
    expanded_content: str
    score: Score
    metadata: ResultMetadata


class TimeRange(_Response):
    """An interval of time, half-open; as `from` and `to` of `filters` it means the same."""

    since: Moment = Field(alias="from")
    until: Moment = Field(alias="to")


class Transformed(_Response):
    """Transformation of the query before the search."""

    intent: Intent = Field(description="What kind of question it is.")
    sub_queries: list[str] = Field(description="The parts of a question that asks several things, else the query.")
    hyde_answer: str | None = Field(description="The imagined answer that was searched for beside the query, if any.")
    time_range: TimeRange | None = Field(
        None,
        description="The time that the query's own words name (*la semana pasada*); absent without any. Notes of then "
        "are preferred, others are not excluded.",
    )


class Stages(_Response):
    """Milliseconds by stage, and by part of a stage; one that did not run is absent, all are when the answer was kept."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, float]

    query_transformation: float | None = None
    retrieval: float | None = None
    reranking: float | None = None
    context_expansion: float | None = None


class ExperimentPart(_Response):
    """A query's part in an experiment; no words of it are kept."""

    query_id: str = Field(description="What `POST /api/experiments/feedback` calls this answer.")
    arm: Arm = Field(description="Which side was drawn to answer; `interleaved` is one list of both.")


class RetrievalMetadata(_Response):
    """Report of the retrieval."""

    query: str
    transformed_query: Transformed | None
    strategy: Strategy = Field(description="The strategy that was run.")
    latency_ms: float
    stages: Stages
    warnings: list[str] = Field(description="In Spanish: what a reader should know of a degraded search.")
    experiment: ExperimentPart | None = Field(
        None, description="Absent unless an experiment runs and the answer takes feedback."
    )


class RetrieveResponse(_Response):
    """Results, best first."""

    results: list[Result]
    metadata: RetrievalMetadata


class NoteIn(_Request):
    """A note to store; it is chunked, embedded and indexed before the answer."""

    content: str = Field(description="The text.", examples=["Hoy tuve un conflicto con mi jefe."])
    title: str | None = None
    external_id: str | None = Field(
        None, description="The note's name within its source; a random UUID if there is none."
    )
    source: str | None = Field(None, description="Where it comes from; `api` if it is not said.")
    created_at: Annotated[str | None, Field(json_schema_extra={"format": "date-time"})] = Field(
        None, description="ISO 8601 date or date-time; without a zone it is local.", examples=[_MOMENT]
    )
    language: LanguageChoice | None = Field(None, description="Detected if it is not said.")
    metadata: dict[str, Any] | None = Field(
        None,
        description="Facts about the note, and whom it is for. All are replaced; without it a note that is changed keeps its own.",
        examples=[{"tags": ["trabajo"]}],
    )


class NoteOut(_Response):
    """A note as stored: text in Unicode NFC, times in UTC."""

    id: str = Field(examples=[_NOTE_ID])
    external_id: str
    source: str
    title: str | None
    content: str
    created_at: Moment
    language: LanguageChoice
    metadata: dict[str, Any]


class NotePage(_Response):
    """Notes, newest first."""

    notes: list[NoteOut]
    next_before: str | None = Field(description="`before` of the next page; null on the last one.")


class EvaluateRequest(_Request):
    """Parameters of an evaluation."""

    config: dict[str, Any] | None = Field(None, description="As in `POST /api/retrieve`.")
    category: Category | None = Field(None, description="Only queries of this category.")
    answers: bool | None = Field(
        None,
        description="Whether queries with an expected answer are answered, and the answers judged; default: yes, with a chat model for "
        "up to 20 queries.",
    )


class EvaluationMetrics(_Response):
    """Means over the queries; metrics of answers are null where none was judged."""

    hit_rate_k1: Score
    hit_rate_k3: Score
    hit_rate_k5: Score
    hit_rate_k10: Score
    mrr: Score
    ndcg_at_10: Score = Field(alias="ndcgAt10")
    recall_at_20: Score = Field(alias="recallAt20")
    faithfulness: Score | None = Field(
        description="How much of the answers their sources say: a judge's groundedness; of quotations the share whose note says it."
    )
    answer_relevance: Score | None = Field(
        description="How well the answers answer: a judge's score; of quotations the words shared with the expected answers (F1)."
    )
    latency_p50: float = Field(description="Milliseconds.")
    latency_p95: float = Field(description="Milliseconds.")
    latency_p99: float = Field(description="Milliseconds.")


class EvaluatedAnswers(_Response):
    """Answerer that was evaluated, and its judge."""

    answerer: str = Field(examples=["extractive@2"])
    judged_by: str | None = Field(description="The judging model, or `quotations`: the notes and the expected answers.")
    answered: int = Field(description="Queries with an expected answer, refusals and failures among them.")
    refused: int
    failed: int


class EvaluateResponse(_Response):
    """A run over the golden set, stored under its id."""

    evaluation_id: str
    config_hash: str = Field(examples=["a1b2c3d4e5f60718"])
    metrics: EvaluationMetrics
    answers: EvaluatedAnswers | None = Field(description="Null where no query was answered.")
    total_queries: int
    degraded_queries: int = Field(description="Queries whose search was degraded.")
    failed_queries: int = Field(description="Queries whose search failed; each counts as a miss.")
    orphaned_queries: int = Field(description="Queries left out because all their notes are deleted.")
    timestamp: Moment


class RunMetrics(_Response):
    """The figures to compare runs by."""

    hit_rate_k10: Score
    mrr: Score
    ndcg_at_10: Score = Field(alias="ndcgAt10")
    recall_at_20: Score = Field(alias="recallAt20")
    faithfulness: Score | None
    answer_relevance: Score | None
    latency_p95: float = Field(description="Milliseconds.")


class Run(_Response):
    """An evaluation as stored."""

    id: str
    config_hash: str
    config: dict[str, Any]
    metrics: RunMetrics
    total_queries: int
    timestamp: Moment


class RunList(_Response):
    """Evaluations, newest first."""

    evaluations: list[Run]


class Health(_Response):
    """It answers."""

    status: Literal["ok"]


class Readiness(Health):
    """It can work, and whom for."""

    access: Literal["open", "keys"] = Field(
        description="Whether whoever reaches it may do everything, or keys say who may what."
    )
