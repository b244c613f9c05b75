"""Answers, their sources and their citations."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from rag_core.model.chunk import TablePart
from rag_core.model.document import Box, PageUnit, PlacedBlock
from rag_core.model.note import ChunkId, Language, NoteId, Span
from rag_core.model.retrieval import Retrieval

Confidence = Literal["high", "medium", "low", "insufficient"]
"""Level of trust in an answer; see ``confidence`` for the cut-offs."""
RefusalReason = Literal[
    "nothing_asked",  # a greeting or thanks; nothing is searched
    "no_notes",  # the tenant has none
    "nothing_found",  # no note fits the question at all
    "insufficient_evidence",  # what was found is too far from the question; decided before anything is generated
    "no_sentence_fits",  # without a model: no sentence of the sources is near enough to the question to be quoted
    "model_refused",  # the model says that the sources hold no answer
    "no_valid_citation",  # nothing of what the model said is held by a source
    "not_grounded",  # too little of it is, and the caller wants such answers refused
    "blocked",  # what was answered must not go out
]
Compression = Literal["none", "extractive", "abstractive", "hierarchical"]
"""Method of shortening sources: none, the sentences nearest to the question, summaries by a chat model, or summaries of all but
the first."""
VerifiedBy = Literal["lexical", "judge"]
"""Method that found a claim in its source: common words and figures, or a chat model as judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A passage that an answer may cite by its ``number``, from 1; ``text`` is what the answerer read of it.

    ``original`` is the passage as it stands in its note, from ``start_char``: ``note.content[start_char:][:len(original)]``.
    Where nothing was compressed or neutralised, ``text`` is the same without the white space around it. ``score`` is the hit's, and
    so is ``created_at``, whose day is told in prompts and beside quotations: see ``day`` and ``context.dated_in``. ``matched`` is
    the span of ``text`` that the search found, None where that is not known: of a summary, for one. ``likeness`` are cosines of
    the question to parts of ``original``, where they are known. ``page``, ``block`` and ``box`` are those of its first citation's
    evidence once the source is cited, before that of its chunk; ``blocks`` are those with pages that hold ``original``. ``table`` is
    the one that the passage is rows of; ``is_whole`` where it is all of its section or table.
    """

    number: int
    note_id: NoteId
    chunk_id: ChunkId
    external_id: str
    title: str | None
    created_at: datetime
    language: Language
    text: str
    original: str
    start_char: int
    chunk_index: int
    score: float
    page: int | None = None
    page_unit: PageUnit = "page"
    block: int | None = None
    box: Box | None = None
    blocks: tuple[PlacedBlock, ...] = ()
    matched: Span | None = None
    likeness: tuple[tuple[Span, float], ...] = ()
    is_dated: bool = True
    table: TablePart | None = None
    is_whole: bool = False

    @property
    def day(self) -> str | None:
        """Day of ``created_at`` in ISO 8601; None where nobody wrote it."""
        return self.created_at.date().isoformat() if self.is_dated else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTime:
    """The time that a question asks about: half-open, with the question ``without`` its words for it.

    ``is_all`` is whether nothing else is asked ("¿qué hice ayer?"): whatever was written then answers it.
    """

    since: datetime
    until: datetime
    without: str
    is_all: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptContext:
    """Context for an answer: ``text`` is exactly what a prompt holds of the sources, '[]' without any.

    ``compression`` is how the sources' texts were shortened, which may be less than was asked for. ``asked_time`` is for
    whoever quotes; a chat model reads the question itself.
    """

    sources: tuple[Source, ...]
    text: str
    compression: Compression = "none"
    asked_time: AskedTime | None = None
    asked_year: AskedTime | None = None
    """A bare year or several, of which notes may speak or be; None where there is an ``asked_time``."""
    graph: str = ""
    """Relations between what the sources speak of, as JSON for a prompt; '' where there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A mark in an answer: ``answer[span[0]:span[1]]`` is "[1, 2]", ``numbers`` are 1 and 2, each once."""

    span: Span
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCitation:
    """One source that an answer's mark names, and whether it says what is claimed; of a sum one for each stretch of its rows.

    ``mark`` and ``claim`` are spans of the answer: "[1]", and the sentence it stands in. ``evidence`` is the span of the *note* whose
    text ``quote`` says it, at most three sentences: ``note.content[evidence[0]:evidence[1]] == quote``; None and '' where no
    sentence comes near. ``support`` in [0, 1] is how much of the claim the evidence covers.
    """

    number: int
    mark: Span
    claim: Span
    evidence: Span | None
    quote: str
    support: float
    is_supported: bool
    verified_by: VerifiedBy


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedText:
    """An answer's text once its citations were held to the sources; spans are of ``text``, marks are "[1]" or "[1, 2]".

    ``uncited`` are the sentences that claim something and name no source that holds it. ``removed`` counts the marks taken out
    because no such source exists; a mark whose source exists and does not say it is kept and told by ``is_supported``.
    """

    text: str
    citations: tuple[CheckedCitation, ...]
    uncited: tuple[Span, ...]
    removed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedAnswer:
    """Unchanged answer of a chat model or of quoting, and its sources; ``citations`` in their order, those of no source included.

    A refusal says that the sources hold no answer; it claims nothing and cites nothing.
    """

    text: str
    language: Language
    context: PromptContext
    citations: tuple[Citation, ...]
    is_refusal: bool


Contract = Literal["chat", "query", "rag_v2", "page", "command"]
FallbackMode = Literal["keyword_recency", "recent_notes"]
"""Fallback that found the sources: a search without vectors, or the newest notes because no word matched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A finished answer. ``text``, ``citations`` and ``uncited`` are as in ``CheckedText``, after everything was checked.

    ``sources`` are all that the answerer was given, cited or not. ``confidence`` is "insufficient" exactly for refusals.
    ``groundedness`` in [0, 1] is the share of claims that a cited source holds; None for refusals. ``warnings`` are for people, in
    the answer's language. ``disclaimer`` stands at the end of ``text`` where there is one.
    """

    query_id: UUID
    session_id: UUID | None
    question: str
    standalone: str | None
    language: Language
    text: str
    citations: tuple[CheckedCitation, ...]
    uncited: tuple[Span, ...]
    removed_citations: int
    sources: tuple[Source, ...]
    confidence: Confidence
    refusal: RefusalReason | None
    groundedness: float | None
    disclaimer: str | None
    warnings: tuple[str, ...]
    answerer: str
    retrieval: Retrieval | None
    fallback: FallbackMode | None
    prompt_tokens: int
    answer_tokens: int
    stages: Mapping[str, float]
    """Milliseconds: retrieval, generation, checking, total."""
    nearest: tuple[Source, ...] = ()
    """Of a refusal the first passages of different notes that the search found, in its order."""

    @property
    def checked(self) -> CheckedText:
        """The text with its citations, as ``rendering`` takes it."""
        return CheckedText(
            text=self.text, citations=self.citations, uncited=self.uncited, removed=self.removed_citations
        )
