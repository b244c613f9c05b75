"""The outcome of a question: an answer with its confidence, or a refusal."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from rag_core.answering.confidence import Evidence, final_confidence, groundedness_of, holds_its_kind
from rag_core.answering.events import AnswerRequest
from rag_core.answering.finishing import finish
from rag_core.answering.quoting.extractive import A_DAY, ExtractiveAnswerer
from rag_core.answering.sources.context import make_sources
from rag_core.answering.sources.fallbacks import FoundSources
from rag_core.answering.sources.places import placed
from rag_core.answering.understanding.understand import Question
from rag_core.answering.verification.citations import without_citations
from rag_core.answering.verification.claims import answer_sentences, is_claim
from rag_core.answering.verification.refusals import is_refusal
from rag_core.answering.writing import WrittenAnswer
from rag_core.chunking import count_tokens
from rag_core.configuration.served import INVALID_CONFIGURATION
from rag_core.guardrails.injection import scan
from rag_core.guardrails.policies import redaction_policy
from rag_core.language.messages import PathWarning
from rag_core.language.wordings import Wording, dated, wordings_of
from rag_core.model.answer import (
    Answer,
    CheckedText,
    Confidence,
    PromptContext,
    RefusalReason,
    Source,
)
from rag_core.model.note import Language, NoteId
from rag_core.retrieval.deadline import StageClock
from rag_core.settings import Settings

NEAREST_NOTES = 3
"""Number of notes that a refusal refers its reader to."""
_LETTER = re.compile(r"[^\W_]")
_BEFORE_WRITING: frozenset[RefusalReason] = frozenset({"nothing_found", "insufficient_evidence", "no_sentence_fits"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerBasis:
    """Basis of an answer, known before it is written; ``answerer`` is the name of its writer."""

    query_id: UUID
    request: AnswerRequest
    question: Question
    found: FoundSources
    context: PromptContext
    evidence: Evidence
    answerer: str
    clock: StageClock

    @property
    def wording(self) -> Wording:
        """The texts of the contract in the language of the answer."""
        return wordings_of(self.request.contract)[self.question.language]

    @property
    def is_of_recent_notes(self) -> bool:
        """True if the sources are the newest notes, because none fits the question."""
        return self.found.fallback == "recent_notes"


def finished_answer(basis: AnswerBasis, written: WrittenAnswer, settings: Settings) -> Answer:
    """The outcome of a written answer: a refusal, or the text with its confidence and, where that is low, a disclaimer.

    Of a model's own refusal the first sentence is kept where it says nothing else. A refusal made of recent notes reads as if nothing
    had been found.
    """
    question, text, language = basis.question, written.text, basis.question.language
    if written.gate.is_blocked:
        return refused_answer(basis, "blocked", written=written)
    if is_refusal(text.text, language):
        own_words = None if basis.is_of_recent_notes else _refusing_sentence(text, language)
        reason: RefusalReason = "model_refused" if written.quotation is None else "no_sentence_fits"
        return refused_answer(basis, reason, written=written, text=own_words)
    if not text.citations or not _LETTER.search(without_citations(text.text)):
        return refused_answer(basis, "no_valid_citation", written=written)
    groundedness, least, options = groundedness_of(text), settings.answer_groundedness, basis.request.options
    is_weak = groundedness is None or groundedness < least
    if is_weak and _as_set(options.is_grounding_required, settings.answer_reject_low_groundedness):
        return refused_answer(basis, "not_grounded", written=written)
    done = finish(
        text,
        language=language,
        policy=redaction_policy(basis.request.contract, settings.guardrails_personal_data),
        groundedness=groundedness,
        least_groundedness=least,
        is_disclaimer_wanted=_as_set(options.is_disclaimer_wanted, settings.answer_disclaimer),
        max_tokens=settings.guardrails_answer_max_tokens,
        is_of_recent_notes=basis.is_of_recent_notes,
        gate=written.gate,
    )
    confidence = final_confidence(
        basis.evidence,
        text,
        groundedness,
        least_groundedness=least,
        is_quoted=written.quotation is not None,
        is_of_kind=holds_its_kind(question.searched, without_citations(text.text), language=question.spoken),
    )
    return _answer(
        basis,
        done.checked,
        written=written,
        confidence=confidence,
        groundedness=groundedness,
        disclaimer=done.disclaimer,
        warnings=(*done.warnings(language), *_of_the_quotation(basis, written, confidence)),
    )


def refused_answer(
    basis: AnswerBasis, reason: RefusalReason, *, written: WrittenAnswer | None = None, text: str | None = None
) -> Answer:
    """A refusal, in the words of ``text`` or the contract's; it claims nothing, cites nothing and needs no disclaimer."""
    empty_day = _of_an_empty_day(basis, reason)
    shown = empty_day or text or _fixed(reason, basis.wording)
    checked = CheckedText(text=shown, citations=(), uncited=(), removed=0)
    is_told = empty_day is None and reason in _BEFORE_WRITING and not basis.evidence.is_of_its_time
    warnings = tuple(_of_another_time(basis, basis.context.sources[0])) if is_told else ()
    return _answer(basis, checked, written=written, confidence="insufficient", refusal=reason, warnings=warnings)


def greeting_answer(query_id: UUID, question: Question, wording: Wording, clock: StageClock) -> Answer:
    """A sentence about what may be asked, for who only greets or thanks; nothing was searched, and nothing is cited."""
    return Answer(
        query_id=query_id,
        session_id=question.session_id,
        question=question.text,
        standalone=None,
        language=question.language,
        text=wording.greeting,
        citations=(),
        uncited=(),
        removed_citations=0,
        sources=(),
        confidence="insufficient",
        refusal="nothing_asked",
        groundedness=None,
        disclaimer=None,
        warnings=question.warnings,
        answerer=ExtractiveAnswerer().name,
        retrieval=None,
        fallback=None,
        prompt_tokens=0,
        answer_tokens=count_tokens(wording.greeting),
        stages={"retrieval": 0.0, "generation": 0.0, "checking": 0.0, "total": clock.total_ms},
    )


def _as_set(option: bool | None, setting: bool) -> bool:
    """The request's option, else the setting."""
    return setting if option is None else option


def _refusing_sentence(checked: CheckedText, language: Language) -> str | None:
    """The first sentence of a model's own refusal; None where it, or anything after it, makes a claim."""
    start, end = answer_sentences(checked.text, language)[0]
    sentence = checked.text[start:end].strip()
    return None if checked.uncited or is_claim(sentence, language) else sentence


def _fixed(reason: RefusalReason, wording: Wording) -> str:
    if reason == "no_notes":
        return wording.no_notes
    return wording.not_grounded if reason == "not_grounded" else wording.not_enough


def _of_an_empty_day(basis: AnswerBasis, reason: RefusalReason) -> str | None:
    """A sentence saying that no note is of the day asked for; None where more is asked for, or filters leave notes out."""
    asked = basis.found.asked_time if reason in _BEFORE_WRITING else None
    if asked is None or not asked.is_all or asked.until - asked.since > A_DAY or not basis.request.filters.is_empty:
        return None
    if any(hit.is_dated and asked.since <= hit.created_at < asked.until for hit in basis.found.hits):
        return None
    day = dated(asked.since.date(), basis.wording.dated, basis.question.language)
    return basis.wording.no_note_of.format(note=day)


def _answer(
    basis: AnswerBasis,
    checked: CheckedText,
    *,
    written: WrittenAnswer | None,
    confidence: Confidence,
    refusal: RefusalReason | None = None,
    groundedness: float | None = None,
    disclaimer: str | None = None,
    warnings: tuple[str, ...] = (),
) -> Answer:
    question, found = basis.question, basis.found
    is_generated = written is not None and written.quotation is None
    return Answer(
        query_id=basis.query_id,
        session_id=question.session_id,
        question=question.text,
        standalone=question.standalone,
        language=question.language,
        text=checked.text,
        citations=checked.citations,
        uncited=checked.uncited,
        removed_citations=checked.removed,
        sources=placed(basis.context.sources, checked.citations),
        nearest=() if refusal is None else _nearest(basis),
        confidence=confidence,
        refusal=refusal,
        groundedness=groundedness,
        disclaimer=disclaimer,
        warnings=(
            *question.warnings,
            *_path_warnings(basis, written, checked, is_refused=refusal is not None),
            *warnings,
        ),
        answerer=written.answerer if written else basis.answerer,
        retrieval=found.retrieval,
        fallback=found.fallback,
        prompt_tokens=_prompt_tokens(basis) if is_generated else 0,
        answer_tokens=count_tokens(checked.text),
        stages={
            "retrieval": found.search_ms,
            "generation": written.generation_ms if written else 0.0,
            "checking": written.checking_ms if written else 0.0,
            "total": basis.clock.total_ms,
        },
    )


def _prompt_tokens(basis: AnswerBasis) -> int:
    return sum(map(count_tokens, (basis.context.text, basis.context.graph, basis.question.searched)))


def _nearest(basis: AnswerBasis) -> tuple[Source, ...]:
    """The first passages of different notes that the search found, in its order, for a reader whom the answer cannot help.

    Where the newest notes were read in their stead, they are not among them.
    """
    is_searched = not basis.is_of_recent_notes
    sources = basis.context.sources if is_searched else make_sources(basis.found.retrieval.hits)
    first_of_note: dict[NoteId, Source] = {}
    for source in sources:
        first_of_note.setdefault(source.note_id, source)
    return tuple(first_of_note.values())[:NEAREST_NOTES]


def _path_warnings(
    basis: AnswerBasis, written: WrittenAnswer | None, checked: CheckedText, *, is_refused: bool
) -> Iterator[str]:
    """Warnings for the reader about the way the answer was made, in its language.

    A refusal already says that no note helps; a source that commands its reader matters to those who are told to read it.
    """
    for kind in (*_of_the_search(basis), *_of_the_writing(written, checked)):
        if not (is_refused and kind == "recent_notes"):
            yield basis.wording.path_warnings[kind]
    cited = {citation.number for citation in checked.citations}
    if any(_has_instructions(source.original) for source in basis.context.sources if source.number in cited):
        yield basis.wording.answer_warnings["instructions"]


def _of_the_search(basis: AnswerBasis) -> Iterator[PathWarning]:
    found = basis.found
    if INVALID_CONFIGURATION in found.retrieval.warnings:
        yield "invalid_configuration"
    if found.fallback is not None:
        yield found.fallback
    elif found.retrieval.is_degraded:
        yield "degraded_search"
    if basis.request.options.compression == "abstractive" and basis.context.compression == "extractive":
        yield "not_summarised"


def _of_the_writing(written: WrittenAnswer | None, checked: CheckedText) -> Iterator[PathWarning]:
    if written is not None and written.fallback is not None:
        yield written.fallback
    if written is not None and written.text.removed:
        yield "removed_citations"
    if any(not citation.is_supported for citation in checked.citations):
        yield "unsupported"


def _of_the_quotation(basis: AnswerBasis, written: WrittenAnswer, confidence: Confidence) -> Iterator[str]:
    """Warnings that a quotation may be no answer, is of another time or language than was asked, or leaves notes of that time out."""
    quotation, texts = written.quotation, basis.wording.quoting_warnings
    if quotation is None:
        if not basis.evidence.is_of_its_time:
            yield from _of_another_time(basis, basis.context.sources[0])
        return
    if not quotation.is_of_its_time:
        yield from _of_another_time(basis, quotation.sentences[0].source)
    if len(quotation.notes) < basis.found.notes_of_time:
        yield texts["more_of_the_time"]
    if any(sentence.source.language != basis.question.language for sentence in quotation.sentences):
        yield texts["other_language"]
    if not quotation.is_added_up:
        yield texts["not_added_up"]
    elif confidence == "low":
        yield texts["may_not_answer"]


def _of_another_time(basis: AnswerBasis, nearest: Source) -> Iterator[str]:
    """Warnings that what is most alike is of another time than asked for, and of which."""
    yield basis.wording.quoting_warnings["not_of_the_time"]
    if nearest.is_dated:
        note = dated(nearest.created_at.date(), basis.wording.dated, basis.question.language)
        yield basis.wording.quoting_warnings["most_alike"].format(note=note)


@lru_cache(maxsize=1024)
def _has_instructions(text: str) -> bool:
    """Test whether a note's text would command its reader."""
    return bool(scan(text, profile="note").spans)
