"""Results of tools as JSON: small ones first, each with the address of the whole note."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rag_core.answering.quoting.markup import plain_lines
from rag_core.guardrails.policies import hiding, redaction_policy
from rag_core.model.answer import Answer
from rag_core.model.note import Note
from rag_core.model.retrieval import Retrieval
from rag_core.retrieval.passages import best_snippet
from rag_core.settings import Settings
from rag_core.wire.answers import chat_body
from rag_core.wire.values import moment_to_wire, note_to_wire

NOTES = "brain://notes/"
"""Beginning of the URI of a note, before its id."""
NOTE_CHARACTERS = 20_000
"""Characters of a note that one call returns at most."""


def place_of(note_id: UUID | str, settings: Settings) -> dict[str, str]:
    """Id of a note, URI of its resource and address of its page."""
    return {"id": str(note_id), "uri": f"{NOTES}{note_id}", "url": f"{settings.api_url}/notas/{note_id}"}


def search_result(found: Retrieval, settings: Settings) -> dict[str, Any]:
    """Passages, best first, without their text but for a snippet."""
    return {
        "results": [
            {
                **place_of(hit.note_id, settings),
                "title": hit.title or hit.external_id,
                "snippet": best_snippet(plain_lines(hit.content), found.query, language=hit.language),
                "score": round(hit.score, 4),
                "source": hit.source,
                "createdAt": moment_to_wire(hit.created_at),
            }
            for hit in found.hits
        ],
        "warnings": list(found.warnings),
    }


def answer_result(answer: Answer, settings: Settings) -> dict[str, Any]:
    """Answer with its citations; of a refusal the nearest notes."""
    policy = redaction_policy("chat", settings.guardrails_personal_data)
    body, hide = chat_body(answer, policy=policy), hiding(policy, answer.language)
    return {
        "answer": body["answer"],
        "citations": [_citation(cited, settings) for cited in body["citations"]],
        "confidence": answer.confidence,
        "refusal": answer.refusal,
        "nearest": [
            {**place_of(source.note_id, settings), "title": hide(source.title or source.external_id)}
            for source in answer.nearest
        ],
        "warnings": list(answer.warnings),
    }


def _citation(cited: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    kept = {name: cited[name] for name in ("cid", "title", "snippet", "score", "createdAt")}
    return {**place_of(cited["noteId"], settings), **kept, "supported": cited["verification"]["supported"]}


def note_result(note: Note, settings: Settings, *, offset: int = 0) -> dict[str, Any]:
    """A note with its text from ``offset`` on; ``nextOffset`` is null at its end."""
    end = offset + NOTE_CHARACTERS
    return {
        **note_to_wire(note),
        **place_of(note.id, settings),
        "content": note.content[offset:end],
        "totalCharacters": len(note.content),
        "nextOffset": end if end < len(note.content) else None,
    }
