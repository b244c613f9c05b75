"""Typed client of the HTTP API: search, ask, read and create notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from rag_core.errors import RagError
from rag_core.model.addresses import is_loopback

URL = "http://127.0.0.1:8000"


class ClientError(RagError):
    """A request that the API refused or could not answer; ``status`` is 0 where it was not reached."""

    def __init__(self, message: str, *, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientPassage:
    """A passage that was found, or the words that an answer cites; ``url`` is the page of its note."""

    note_id: str
    chunk_id: str
    title: str | None
    text: str
    score: float
    created_at: datetime
    url: str

    @property
    def facts(self) -> dict[str, Any]:
        """All but text and score, as frameworks keep it beside a text."""
        return {
            "note_id": self.note_id,
            "chunk_id": self.chunk_id,
            "title": self.title,
            "created_at": self.created_at.isoformat(),
            "source": self.url,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientAnswer:
    """An answer with marks such as "[N1]", and the passages that they name, in that order; ``refusal`` is None where there is one."""

    text: str
    citations: tuple[ClientPassage, ...]
    confidence: str
    refusal: str | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientNote:
    """A note as stored."""

    id: str
    external_id: str
    source: str
    title: str | None
    content: str
    created_at: datetime
    language: str
    metadata: Mapping[str, Any]


class BrainClient:
    """Connection to an API; threads may share it."""

    def __init__(
        self,
        url: str = URL,
        *,
        api_key: str | None = None,
        timeout_seconds: float = 60,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._url = url.rstrip("/")
        headers = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
        self._http = httpx.Client(
            base_url=self._url,
            headers=headers,
            timeout=timeout_seconds,
            transport=transport,
            trust_env=not is_loopback(httpx.URL(self._url).host),  # no proxy stands between this machine and itself
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def search(self, query: str, *, top_k: int = 5, filters: Mapping[str, Any] | None = None) -> list[ClientPassage]:
        """Passages that answer a query, best first; ``filters`` are those of ``POST /api/retrieve``.

        Raises:
            ClientError: the request was refused, or the API not reached.
        """
        asked = {"query": query, "topK": top_k} | ({"filters": dict(filters)} if filters else {})
        found = self._sent("POST", "/api/retrieve", asked)
        return [self._passage(result, text=result["content"]) for result in found["results"]]

    def ask(self, question: str) -> ClientAnswer:
        """The answer of ``brain ask``, from the notes alone.

        Raises:
            ClientError: see ``search``.
        """
        answered = self._sent("POST", "/chat", {"message": question})
        meta = answered["meta"]
        return ClientAnswer(
            text=answered["answer"],
            citations=tuple(self._passage(cited, text=cited["snippet"]) for cited in answered["citations"]),
            confidence=meta["confidence"],
            refusal=meta["refusal"],
            warnings=tuple(meta["warnings"]),
        )

    def passages(
        self, query: str, *, top_k: int, filters: Mapping[str, Any] | None, is_cited_only: bool
    ) -> Sequence[ClientPassage]:
        """Passages for a retriever: those that ``search`` finds, or those that the answer cites.

        Raises:
            ClientError: see ``search``.
        """
        return self.ask(query).citations if is_cited_only else self.search(query, top_k=top_k, filters=filters)

    def read_note(self, note_id: str) -> ClientNote:
        """A note with all its text.

        Raises:
            ClientError: see ``search``.
        """
        return _note(self._sent("GET", f"/api/notes/{quote(note_id, safe='')}"))

    def create_note(self, content: str, *, title: str | None = None, tags: Sequence[str] = ()) -> ClientNote:
        """Store a note, which is found from now on; needs the scope ``write`` where the API asks for keys.

        Raises:
            ClientError: see ``search``.
        """
        return _note(
            self._sent("POST", "/api/notes", {"content": content, "title": title, "metadata": {"tags": list(tags)}})
        )

    def _passage(self, wire: Mapping[str, Any], *, text: str) -> ClientPassage:
        return ClientPassage(
            note_id=wire["noteId"],
            chunk_id=wire["chunkId"],
            title=wire["title"],
            text=text,
            score=wire["score"],
            created_at=datetime.fromisoformat(wire["createdAt"]),
            url=f"{self._url}/notas/{wire['noteId']}",
        )

    def _sent(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        try:
            answer = self._http.request(method, path, json=body)
        except httpx.HTTPError as error:
            raise ClientError(f"{self._url} does not answer ({error}); start it with `brain serve`") from error
        if answer.is_success:
            return answer.json()
        is_json = "json" in answer.headers.get("content-type", "")
        told = answer.json() if is_json else {"error": answer.reason_phrase, "details": ""}
        raise ClientError(f"{told['error']}: {told['details']}", status=answer.status_code)


def _note(wire: Mapping[str, Any]) -> ClientNote:
    return ClientNote(
        id=wire["id"],
        external_id=wire["externalId"],
        source=wire["source"],
        title=wire["title"],
        content=wire["content"],
        created_at=datetime.fromisoformat(wire["createdAt"]),
        language=wire["language"],
        metadata=wire["metadata"],
    )
