"""Requests to every address there is, with somebody else's names and ids in every place that takes one."""

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from leak_planting import Secrets

NOBODY = UUID("00000000-0000-4000-8000-00000000dead")
WITHOUT_A_TENANT = {"/entrar", "/salir", "/healthz", "/readyz"}
"""Addresses at which no key is needed; they are asked like all others."""

_REPLACEABLE = ("notes", "golden_queries")
"""Tables of what a request with an id in its path and a body replaces."""

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request; ``about`` is the id in its path, where it has one."""

    method: str
    path: str
    query: Mapping[str, str]
    body: Any = None
    about: str | None = None


def routes(client: TestClient) -> list[APIRoute]:
    """Every route of the application."""
    found: list[APIRoute] = client.app.state.routes  # type: ignore[attr-defined]
    return found


def bodies(route: APIRoute, secrets: Secrets) -> list[Any] | None:
    """Bodies for a route that takes one; None where nobody has thought of any yet."""
    make = _BODIES.get((next(iter(route.methods)), route.path))
    return None if make is None else make(secrets)


def requests_of(route: APIRoute, secrets: Secrets) -> Iterator[Asked]:
    """Requests to a route: each id in its path, each name and id in each of its parameters, each body.

    A body stands beside the ids that its route may be of, and beside no other: 30 paths by 30 bodies would say the same.
    """
    (method,) = route.methods - {"HEAD"}
    given: list[Any] = bodies(route, secrets) or ([None] if route.body_field is None else [])
    paths = _paths(route, secrets)
    replaced = [path for path in paths if path[1] in {str(secrets.ids.get(table)) for table in _REPLACEABLE}]
    for (path, about), body in (
        *itertools.product(paths, given[:1]),
        *itertools.product(replaced or paths[:1], given[1:]),
    ):
        yield Asked(method=method, path=path, query={}, body=body, about=about)
    (path, about), body = paths[0], given[0]
    for name, value in itertools.product(_parameters(route.dependant), _values(secrets)):
        yield Asked(method=method, path=path, query={name: value}, body=body, about=about)


def _paths(route: APIRoute, secrets: Secrets) -> list[tuple[str, str | None]]:
    names = re.findall(r"\{(\w+)\}", route.path)
    if not names:
        return [(route.path, None)]
    values = [*map(str, secrets.ids.values()), *secrets.names]
    if names == ["consulta", "valor"]:
        return [(f"/opinion/{value}/util", value) for value in values]
    paths = []
    for value in values:
        others = [str(other) for table, other in secrets.ids.items() if "quer" in table] or [str(NOBODY)]
        if names[1:] == ["page"]:
            others = ["1"]
        for other in others:
            filled = route.path.replace(f"{{{names[0]}}}", value)
            paths.append((filled if len(names) == 1 else filled.replace(f"{{{names[1]}}}", other), value))
    return paths


def _parameters(dependant: Dependant) -> list[str]:
    own = [parameter.alias for parameter in dependant.query_params]
    return own + [name for other in dependant.dependencies for name in _parameters(other)]


def _values(secrets: Secrets) -> list[str]:
    return [*map(str, secrets.ids.values()), *secrets.names, *secrets.words]


def elsewhere(asked: Asked) -> Asked | None:
    """A request for what nobody has, where it asks for one thing in its path."""
    if asked.about is None:
        return None
    is_id = re.fullmatch(r"[0-9a-f-]{36}", asked.about) is not None
    return Asked(
        method=asked.method,
        path=asked.path.replace(asked.about, str(NOBODY) if is_id else "x" * len(asked.about)),
        query=asked.query,
        body=asked.body,
        about=str(NOBODY) if is_id else "x" * len(asked.about),
    )


def readable(client: TestClient, key: str) -> dict[str, tuple[int, str]]:
    """Answers to a key at every address that takes no id, by address: without times, and what a process counts."""
    headers = {"Authorization": f"Bearer {key}"}
    paths = [route.path for route in routes(client) if "GET" in route.methods and "{" not in route.path]
    paths += [f"/?q={word}" for word in ("Cervantina", "dormido", "tren")]
    found = {path: client.get(path, headers=headers) for path in paths}
    for strategy in ("semantic", "fulltext", "hybrid", "hybrid+rerank"):
        body = {"query": "¿Por qué durmió mal?", "strategy": strategy, "topK": 50}
        found[f"retrieve {strategy}"] = client.post("/api/retrieve", json=body, headers=headers)
        for query, top_k in itertools.product(_SHIFTED, (1, 50)):
            body = {"query": query, "strategy": strategy, "topK": top_k}
            found[f"retrieve {strategy} {top_k} {query}"] = client.post("/api/retrieve", json=body, headers=headers)
    if found[FIGURES].is_success:
        del found[FIGURES]
    return {path: (answer.status_code, _timeless(answer.text)) for path, answer in found.items()}


FIGURES = "/api/performance"
"""How many requests the whole process had and how long they took: for ``admin`` alone, and different each time."""


_SHIFTED = ("durmió sonó", "llegó tarde hubo", "reunión tomó")
"""Words that both the notes for everybody and those for the direction have, in other proportions: document frequencies that count
those change scores, and maybe which result is the best."""


def _timeless(text: str) -> str:
    text = re.sub(r'"(\w*(?:[lL]atency|[tT]ime|Ms|At)\w*)":\s*(?:"[^"]*"|[\d.eE+-]+|null)', r'"\1":0', text)
    text = re.sub(r'"stages":\s*\{[^}]*\}', '"stages":{}', text)
    return re.sub(r"[\d.,]+\s*(?:ms|s)\b", "0", text)


def _question(name: str, **more: Any) -> Any:
    return lambda secrets: [{name: word, **more} for word in (*secrets.words, *secrets.names)]


def _retrieve(secrets: Secrets) -> list[Body]:
    filters = [
        {"sources": [secrets.names[-2]]},
        {"tags": [secrets.names[-1]]},
        {"documentIds": [str(secrets.ids["notes"])]},
    ]
    strategies = ("semantic", "fulltext", "hybrid", "hybrid+rerank")
    return [
        *({"query": word, "strategy": strategy, "topK": 50} for word in secrets.words for strategy in strategies),
        *({"query": "dormido", "filters": one} for one in filters),
        *({"query": word, "filters": one} for word in secrets.words for one in filters),
    ]


def _search_v2(secrets: Secrets) -> list[Body]:
    strategies = ("vector", "hybrid", "graph", "multi_hop", "table", "fulltext")
    filters = (
        {"documentIds": [str(secrets.ids["notes"])]},
        {"topics": [secrets.names[-1]]},
        {"departments": ["direccion", secrets.names[0]]},
    )
    return [
        *({"query": word} for word in (*secrets.words, *secrets.names)),
        *({"query": word, "strategy": one} for word in secrets.words for one in strategies),
        *({"query": word, "filters": one} for word in secrets.words for one in filters),
    ]


def _chat(secrets: Secrets) -> list[Body]:
    return [
        *({"message": word} for word in secrets.words),
        *({"message": "¿Por qué durmió mal?", "tenantId": name} for name in secrets.names),
    ]


def _query(secrets: Secrets) -> list[Body]:
    return [
        *({"query": word, "topK": 20, "stream": is_stream} for word in secrets.words for is_stream in (False, True)),
        *({"query": "¿Y por qué?", "sessionId": str(one)} for one in secrets.ids.values()),
        *({"query": "¿Por qué durmió mal?", "topicFilter": [name]} for name in secrets.names),
    ]


def _chat_v2(secrets: Secrets) -> list[Body]:
    def of(word: str, **more: Any) -> Body:
        return {"messages": [{"role": "user", "content": word}], **more}

    return [of(word, stream=is_stream) for word in secrets.words for is_stream in (False, True)]


def _openai(secrets: Secrets) -> list[Body]:
    return [{"model": "brain-sync", **body} for body in _chat_v2(secrets)]


def _golden(secrets: Secrets) -> list[Body]:
    body = {"query": "¿Qué pasó?", "expectedAnswer": "Nada", "category": "factual", "difficulty": 3}
    return [{**body, "relevantNoteIds": [str(one)]} for one in secrets.ids.values()]


def _golden_v2(secrets: Secrets) -> list[Body]:
    body = {"query": "Was war?", "expectedAnswer": "Nichts", "category": "factual", "difficulty": "easy"}
    ids, names = map(str, secrets.ids.values()), secrets.names
    return [{**body, "relevantDocumentIds": [one]} for one in (*ids, *names)] + [
        {**body, "relevantChunkIds": [str(secrets.ids.get("chunks", NOBODY))]}
    ]


def _note(secrets: Secrets) -> list[Body]:
    return [
        {"content": "Una nota sin más.", "externalId": f"nueva-{len(name)}", "source": "propia"}
        for name in secrets.names[:1]
    ]


def _terminal(name: str) -> Any:
    def make(secrets: Secrets) -> list[Body]:
        asked = [{name: word} for word in secrets.words]
        asked += [{name: "¿Por qué durmió mal?", "tenant": tenant} for tenant in (*secrets.names, "bruno")]
        return [{"asked": one, "environment": {}} for one in asked]

    return make


def _mcp(secrets: Secrets) -> list[Body]:
    def message(method: str, **params: Any) -> Body:
        return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

    def call(name: str, **arguments: Any) -> Body:
        return message("tools/call", name=name, arguments=arguments)

    ids = map(str, secrets.ids.values())
    return [
        *(call("search", query=word, topK=50) for word in secrets.words),
        *(call("ask", question=word) for word in secrets.words),
        *(call("get_note", id=one) for one in (*ids, *secrets.names)),
        *(message("resources/read", uri=f"brain://notes/{one}") for one in secrets.ids.values()),
        call("list_sources"),
        message("resources/list"),
    ]


_BODIES: Mapping[tuple[str, str], Any] = {
    ("POST", "/api/retrieve"): _retrieve,
    ("POST", "/chat"): _chat,
    ("POST", "/api/query"): _query,
    ("POST", "/mcp"): _mcp,
    ("POST", "/v1/chat/completions"): _openai,
    ("POST", "/api/v2/rag/search"): _search_v2,
    ("POST", "/api/v2/rag/chat"): _chat_v2,
    ("POST", "/api/v2/documents/upload"): lambda _secrets: [{"files": {"file": ("propia.md", b"Una nota propia.")}}],
    ("POST", "/api/ingest"): lambda secrets: [{"documentUrl": f"/{word}"} for word in secrets.words],
    ("POST", "/api/feedback"): lambda secrets: [{"queryId": str(one), "rating": 1} for one in secrets.ids.values()],
    ("POST", "/api/experiments/feedback"): lambda secrets: [
        {"queryId": str(one), "kind": "helpful", "noteId": str(secrets.ids["notes"])} for one in secrets.ids.values()
    ],
    ("POST", "/api/retrieve/evaluate"): lambda _secrets: [{}],
    ("POST", "/api/v2/evaluation/run"): lambda secrets: [
        {"datasetId": one} for one in (*map(str, secrets.ids.values()), *secrets.names)
    ],
    ("POST", "/api/v2/evaluation/tuning"): lambda secrets: [
        {"datasetId": one} for one in (*map(str, secrets.ids.values()), *secrets.names)
    ],
    ("POST", "/api/v2/evaluation/embedding-benchmark"): lambda secrets: [
        {"datasets": [one]} for one in (*map(str, secrets.ids.values()), *secrets.names)
    ],
    ("POST", "/api/golden-dataset"): _golden,
    ("PUT", "/api/golden-dataset/{query_id}"): _golden,
    ("POST", "/api/golden-dataset/import"): lambda secrets: [
        {"queries": [{"query": "¿Qué pasó?", "relevantIds": [one]}]}
        for one in (*map(str, secrets.ids.values()), *secrets.names)
    ],
    ("POST", "/api/v2/evaluation/golden-dataset"): _golden_v2,
    ("PUT", "/api/v2/evaluation/golden-dataset/{query_id}"): _golden_v2,
    ("POST", "/api/notes"): _note,
    ("POST", "/notas/nueva"): lambda _secrets: [{"files": None, "data": {"texto": "Una nota propia."}}],
    ("POST", "/notas/{note_id}/editar"): lambda _secrets: [{"files": None, "data": {"texto": "Una nota propia."}}],
    ("PUT", "/api/notes/{note_id}"): _note,
    ("POST", "/api/terminal"): lambda _secrets: [{"nonce": "0" * 32}],
    ("POST", "/api/terminal/search"): _terminal("query"),
    ("POST", "/api/terminal/ask"): _terminal("question"),
    ("POST", "/entrar"): lambda _secrets: [{}],
    ("POST", "/preguntar/respuestas/{consulta}/opinion"): lambda _secrets: [{}],
}
