"""What a question comes to: an answer with what it is worth, or the words that there is none."""

import re
from collections.abc import Iterator
from functools import lru_cache

from rag_core.answering.confidence import final_confidence, groundedness_of, holds_its_kind
from rag_core.answering.course import Course
from rag_core.answering.finishing import finish
from rag_core.answering.generation import build_answerer
from rag_core.answering.quoting.extractive import A_DAY, ExtractiveAnswerer
from rag_core.answering.quoting.selection import Quotation
from rag_core.answering.verification.citations import without_citations
from rag_core.answering.verification.claims import answer_sentences, is_claim
from rag_core.answering.verification.refusals import is_refusal
from rag_core.answering.writing import Writing
from rag_core.chunking import count_tokens
from rag_core.configuration.served import INVALID_CONFIGURATION
from rag_core.guardrails import RedactionPolicy
from rag_core.guardrails.injection import scan
from rag_core.language.answer_warnings import PathWarning
from rag_core.language.quoting import dated
from rag_core.language.wordings import Wording, wordings_of
from rag_core.model.answer import Answer, CheckedText, Confidence, PromptContext, RefusalReason
from rag_core.model.note import Language

_LETTER = re.compile(r"[^\W_]")
_BEFORE_WRITING: frozenset[RefusalReason] = frozenset({"nothing_found", "insufficient_evidence", "no_sentence_fits"})


def finished(course: Course, writing: Writing, checked: CheckedText, policy: RedactionPolicy) -> Answer:
    """What was written as it goes out: a refusal, or the text with its worth and, where that is little, a disclaimer.

    Of a model's own refusal its first sentence stays, in its words where it says nothing else. Where recent notes were all that it
    read, it is refused as if nothing had been read.
    """
    settings, options = course.engine.settings, course.request.options
    language, least = course.asked.language, settings.answer_groundedness
    if writing.gate.is_blocked:
        return refused(course, "blocked")
    is_quoted = isinstance(writing.answerer, ExtractiveAnswerer)
    if is_refusal(checked.text, language):
        reason: RefusalReason = "no_sentence_fits" if is_quoted else "model_refused"
        own_words = None if _is_of_recent_notes(course) else _refusing_sentence(checked, language)
        return refused(course, reason, text=own_words)
    if not checked.citations or not _LETTER.search(without_citations(checked.text)):
        return refused(course, "no_valid_citation")
    groundedness, answerer = groundedness_of(checked), writing.answerer
    quotation = answerer.quotation if isinstance(answerer, ExtractiveAnswerer) else None
    is_weak = groundedness is None or groundedness < least
    if is_weak and _as_set(options.is_grounding_required, settings.answer_reject_low_groundedness):
        return refused(course, "not_grounded")
    done = finish(
        checked,
        language=language,
        policy=policy,
        groundedness=groundedness,
        least_groundedness=least,
        is_disclaimer_wanted=_as_set(options.is_disclaimer_wanted, settings.answer_disclaimer),
        max_tokens=settings.guardrails_answer_max_tokens,
        is_of_recent_notes=_is_of_recent_notes(course),
        gate=writing.gate,
    )
    confidence = final_confidence(
        course.evidence,
        checked,
        groundedness,
        least_groundedness=least,
        quotation=None if quotation is None else quotation.strength,
        is_of_kind=holds_its_kind(course.asked.searched, without_citations(checked.text), language=course.asked.spoken),
    )
    return _answer(
        course,
        done.checked,
        confidence=confidence,
        groundedness=groundedness,
        disclaimer=done.disclaimer,
        warnings=(*done.warnings(language), *_of_the_quotation(course, quotation, confidence)),
    )


def _as_set(option: bool | None, setting: bool) -> bool:
    """What the request says, else the settings."""
    return setting if option is None else option


def _is_of_recent_notes(course: Course) -> bool:
    return course.found is not None and course.found.fallback == "recent_notes"


def _of_the_quotation(course: Course, quotation: Quotation | None, confidence: Confidence) -> Iterator[str]:
    """That what is quoted may be no answer, is of another time than the one asked for, or not all that there is of it."""
    if quotation is None:
        return
    told = course.wording.quoting_warnings
    if not quotation.is_of_its_time:
        yield told["not_of_the_time"]
    if course.found is not None and len(quotation.notes) < course.found.notes_of_time:
        yield told["more_of_the_time"]
    if confidence == "low":
        yield told["may_not_answer"]


def _refusing_sentence(checked: CheckedText, language: Language) -> str | None:
    """The first sentence of a model's own refusal; None where it claims something beside that, or anything after it does."""
    start, end = answer_sentences(checked.text, language)[0]
    sentence = checked.text[start:end].strip()
    return None if checked.uncited or is_claim(sentence, language) else sentence


def refused(course: Course, reason: RefusalReason, *, text: str | None = None) -> Answer:
    """That there is no answer; a refusal claims nothing, cites nothing and needs no disclaimer."""
    shown = _of_an_empty_day(course, reason) or text or _fixed(reason, course.wording)
    said = CheckedText(text=shown, citations=(), uncited=(), removed=0)
    return _answer(course, said, confidence="insufficient", refusal=reason)


def _fixed(reason: RefusalReason, wording: Wording) -> str:
    if reason == "no_notes":
        return wording.no_notes
    return wording.not_grounded if reason == "not_grounded" else wording.not_enough


def _of_an_empty_day(course: Course, reason: RefusalReason) -> str | None:
    """That no note is of the day asked for; None where more than a day is asked for, notes are left out, or there are some of it."""
    asked = course.found.asked_time if course.found and reason in _BEFORE_WRITING else None
    if asked is None or not asked.is_all or asked.until - asked.since > A_DAY or not course.request.filters.is_empty:
        return None
    if course.found is None or any(asked.since <= hit.created_at < asked.until for hit in course.found.hits):
        return None
    day = dated(asked.since.date(), course.wording.dated, course.asked.language)
    return course.wording.no_note_of.format(note=day)


def _answer(
    course: Course,
    checked: CheckedText,
    *,
    confidence: Confidence,
    refusal: RefusalReason | None = None,
    groundedness: float | None = None,
    disclaimer: str | None = None,
    warnings: tuple[str, ...] = (),
) -> Answer:
    question, found = course.asked, course.found
    answerer = (
        course.writing.answerer
        if course.writing
        else build_answerer(course.engine.chat, wordings=wordings_of(course.request.contract))
    )
    is_model_asked = course.writing is not None and not isinstance(answerer, ExtractiveAnswerer)
    return Answer(
        query_id=course.query_id,
        session_id=question.session_id,
        question=question.text,
        standalone=question.standalone,
        language=question.language,
        text=checked.text,
        citations=checked.citations,
        uncited=checked.uncited,
        removed_citations=checked.removed,
        sources=course.context.sources,
        confidence=confidence,
        refusal=refusal,
        groundedness=groundedness,
        disclaimer=disclaimer,
        warnings=(*_warnings(course, checked), *warnings),
        answerer=answerer.name,
        retrieval=found.retrieval if found else None,
        fallback=found.fallback if found else None,
        prompt_tokens=_read_tokens(course.context) + count_tokens(question.searched) if is_model_asked else 0,
        answer_tokens=count_tokens(checked.text),
        stages=course.stages | {"total": course.total_ms},
    )


def _read_tokens(context: PromptContext) -> int:
    return count_tokens(context.text) + count_tokens(context.graph)


def _warnings(course: Course, checked: CheckedText) -> tuple[str, ...]:
    """What a reader should know of how the answer came about, in its language."""
    wording = course.wording
    told = [wording.path_warnings[kind] for kind in (*_of_the_search(course), *_of_the_writing(course, checked))]
    if any(_has_instructions(source.original) for source in course.context.sources):
        told.append(wording.answer_warnings["instructions"])
    return (*course.asked.warnings, *told)


def _of_the_search(course: Course) -> list[PathWarning]:
    found, kinds = course.found, list[PathWarning]()
    if found is not None and found.retrieval is not None and INVALID_CONFIGURATION in found.retrieval.warnings:
        kinds.append("invalid_configuration")
    if found is not None and found.fallback is not None:
        kinds.append(found.fallback)
    elif found is not None and found.retrieval is not None and found.retrieval.is_degraded:
        kinds.append("degraded_search")
    if course.request.options.compression == "abstractive" and course.context.compression == "extractive":
        kinds.append("not_summarised")
    return kinds


def _of_the_writing(course: Course, checked: CheckedText) -> list[PathWarning]:
    writing, kinds = course.writing, list[PathWarning]()
    if writing is not None and writing.fallback is not None:
        kinds.append(writing.fallback)
    if writing is not None and writing.checked.removed:
        kinds.append("removed_citations")
    if any(not citation.is_supported for citation in checked.citations):
        kinds.append("unsupported")
    return kinds


@lru_cache(maxsize=1024)
def _has_instructions(text: str) -> bool:
    """Whether a note's text would command whoever reads it."""
    return bool(scan(text, profile="note").spans)
