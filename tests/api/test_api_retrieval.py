import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from uuid import UUID

import anyio
import pytest
from api_answers import assert_spanish
from fastapi.testclient import TestClient

from rag_core.api.access import arrived_at
from rag_core.api.app import create_app
from rag_core.errors import (
    DatabaseUnavailableError,
    DeadlineExceededError,
    EmbeddingError,
    RerankingError,
    RetrievalFailedError,
)
from rag_core.experiments import live_query
from rag_core.graph.rules import RuleExtractor
from rag_core.indexing.graph import update_graph
from rag_core.retrieval import ordering
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage.batches import register_batches

CONFLICT = (
    "Esta mañana llegué temprano a la oficina. Hoy tuve un conflicto con mi jefe y me sentí muy ansioso. "
    "Después fui a caminar para calmarme."
)


class TestPostRetrieve:
    def test_a_result_has_every_field_of_the_contract(self, client: TestClient, add_note) -> None:
        note = add_note(CONFLICT, title="Reunión", externalId="n1", createdAt="2025-03-03T09:00:00+01:00")

        body = client.post("/api/retrieve", json={"query": "conflicto con mi jefe", "strategy": "hybrid"}).json()

        result = body["results"][0]
        bounds = result["metadata"]["matchedChunkBounds"]
        assert result["noteId"] == note["id"]
        assert (result["externalId"], result["source"], result["title"]) == ("n1", "api", "Reunión")
        assert result["createdAt"] == "2025-03-03T08:00:00Z"
        assert result["expandedContent"][bounds["start"] : bounds["end"]] == result["content"]
        assert result["expandedContent"] in CONFLICT
        assert 0 <= result["score"] <= 1
        assert result["metadata"]["ranks"] == {"semantic": 1, "fulltext": 1}
        assert result["metadata"]["retrievalMethod"] == "hybrid"
        assert result["metadata"]["matchedSpans"] == [bounds]
        assert "rerankScore" not in result["metadata"]
        metadata = body["metadata"]
        assert set(metadata) == {"query", "transformedQuery", "strategy", "latencyMs", "stages", "warnings"}
        assert (metadata["query"], metadata["strategy"], metadata["warnings"]) == (
            "conflicto con mi jefe",
            "hybrid",
            [],
        )
        assert metadata["transformedQuery"] == {
            "intent": "abstract",
            "subQueries": ["conflicto con mi jefe"],
            "hydeAnswer": None,
        }
        assert set(metadata["stages"]) == {"queryTransformation", "retrieval", "contextExpansion"}

    def test_offsets_count_code_points(self, client: TestClient, add_note) -> None:
        add_note("🚂 El tren llegó tarde. 🍅 Compré tomates en el mercado. 🎻 Toqué el violín.")

        result = client.post("/api/retrieve", json={"query": "tomates mercado"}).json()["results"][0]

        bounds = result["metadata"]["matchedChunkBounds"]
        assert result["expandedContent"][bounds["start"] : bounds["end"]] == result["content"]

    def test_without_notes_there_are_no_results(self, refusing: TestClient) -> None:
        answer = refusing.post("/api/retrieve", json={"query": "nada"})

        assert answer.status_code == 200
        assert answer.json()["results"] == []

    def test_by_default_the_best_are_re_ranked_and_both_scores_told(self, client: TestClient, add_note) -> None:
        add_note(CONFLICT)

        body = client.post("/api/retrieve", json={"query": "jefe"}).json()

        assert (body["metadata"]["strategy"], body["metadata"]["warnings"]) == ("hybrid+rerank", [])
        assert set(body["metadata"]["stages"]) == {
            "queryTransformation",
            "retrieval",
            "reranking",
            "contextExpansion",
        }
        result = body["results"][0]
        assert result["score"] == result["metadata"]["rerankScore"]
        assert 0 <= result["metadata"]["originalScore"] <= 1

    def test_the_parts_of_a_question_are_told_and_searched(self, client: TestClient, add_note) -> None:
        add_note("En Cádiz comí atún encebollado.")
        add_note("En Vigo dormí en casa de mi prima.")

        body = client.post("/api/retrieve", json={"query": "¿Qué comí en Cádiz? ¿Dónde dormí en Vigo?"}).json()

        assert body["metadata"]["transformedQuery"]["subQueries"] == ["¿Qué comí en Cádiz?", "¿Dónde dormí en Vigo?"]
        ranks = [result["metadata"]["ranks"] for result in body["results"]]
        assert {leg for found in ranks for leg in found} >= {"fulltext:1", "fulltext:2", "semantic:1", "semantic:2"}

    def test_the_time_that_the_query_names_is_told(self, client: TestClient, add_note) -> None:
        add_note("Compré tomates.", externalId="entonces", createdAt="2024-03-15")
        add_note("Compré tomates.", externalId="después", createdAt="2025-03-15")

        body = client.post("/api/retrieve", json={"query": "¿qué compré en marzo de 2024?"}).json()

        assert body["metadata"]["transformedQuery"]["timeRange"] == {
            "from": "2024-02-29T23:00:00Z",
            "to": "2024-03-31T22:00:00Z",
        }
        ranks = {result["externalId"]: result["metadata"]["ranks"] for result in body["results"]}
        assert "fulltext:time" in ranks["entonces"]
        assert "fulltext:time" not in ranks["después"]

    def test_a_cause_two_steps_away_is_found_with_its_path(self, client: TestClient, engine: Engine, add_note) -> None:
        add_note("Tomé café por la tarde y por eso no dormí bien.", externalId="café")
        add_note("Llegué tarde a la reunión porque no dormí bien.", externalId="tarde")
        tenant = engine.writing_tenant()
        update_graph(engine.database, tenant, register_batches(engine.database, tenant), extractor=RuleExtractor())

        results = client.post("/api/retrieve", json={"query": "¿Por qué llegué tarde a la reunión?"}).json()["results"]

        found = next(result["metadata"] for result in results if result["externalId"] == "café")
        assert "graph" in found["ranks"]
        assert len(found["causalPath"]) == len(found["causalPathNames"]) == 3
        assert all(UUID(entity) for entity in found["causalPath"])
        assert "reunión" in found["causalPathNames"][0]
        assert "café" in found["causalPathNames"][-1]

    def test_the_requests_top_k_wins_over_the_configurations(self, client: TestClient, add_note) -> None:
        for city in ("Cádiz", "Vigo", "Lugo"):
            add_note(f"Viajé en tren a {city}.")
        body = {"query": "viaje en tren", "config": {"topK": {"final": 3}}, "topK": 1}

        results = client.post("/api/retrieve", json=body).json()["results"]

        assert len(results) == 1

    def test_a_partial_configuration_keeps_the_other_defaults(self, client: TestClient, add_note) -> None:
        add_note(CONFLICT)
        body = {"query": "jefe", "config": {"hybridSearch": {"method": "rrf"}, "strategy": "fulltext"}}

        answer = client.post("/api/retrieve", json=body).json()

        assert answer["metadata"]["strategy"] == "fulltext"
        assert answer["results"][0]["score"] == 1.0

    @pytest.mark.parametrize("query", ["", "   ", "\n\t "])
    def test_an_empty_query_is_named_as_such(self, refusing: TestClient, query: str) -> None:
        details = assert_spanish(refusing.post("/api/retrieve", json={"query": query}), 400, "Parámetros inválidos")

        assert details == "La consulta no puede estar vacía"

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            ({}, "query: falta este campo"),
            ({"query": None}, "query: debe ser un texto"),
            ({"query": 5}, "query: debe ser un texto"),
            ({"query": ["x"]}, "query: debe ser un texto"),
            ({"query": "x" * 2001}, "La consulta supera el máximo de 2000 caracteres"),
            ({"query": "a\0b"}, "La consulta contiene un carácter no admitido"),
            ({"query": "x", "topK": 0}, "topK: debe ser mayor o igual que 1"),
            ({"query": "x", "topK": 51}, "topK: debe ser menor o igual que 50"),
            ({"query": "x", "topK": "5"}, "topK: debe ser un número entero"),
            ({"query": "x", "topK": 2.5}, "topK: debe ser un número entero"),
            ({"query": "x", "topK": True}, "topK: debe ser un número entero"),
            (
                {"query": "x", "strategy": "nada"},
                "strategy: valor no admitido; se espera 'semantic', 'fulltext', 'hybrid', 'hybrid+rerank' o 'routed'",
            ),
            ({"query": "x", "config": []}, "config: debe ser un objeto"),
            ({"query": "x", "config": {"desconocido": 1}}, "desconocido: campo desconocido"),
            ({"query": "x", "config": {"hybridSearch": 3}}, "hybridSearch: debe ser un objeto"),
            (
                {"query": "x", "config": {"hybridSearch": {"semanticWeight": 2}}},
                "hybridSearch.semanticWeight: debe ser menor o igual que 1",
            ),
            (
                {"query": "x", "config": {"strategy": "nada"}},
                "strategy: valor no admitido; se espera 'semantic', 'fulltext', 'hybrid', 'hybrid+rerank' o 'routed'",
            ),
            ({"query": "x", "config": {"topK": {"final": 51}}}, "topK.final: debe ser menor o igual que 50"),
            (
                {"query": "x", "config": {"topK": {"final": 30, "retrieval": 20}}},
                "topK: topK debe cumplir retrieval >= reranking >= final",
            ),
            ({"query": "x", "tenantId": "otro"}, "tenantId: campo desconocido"),
            ({"query": "x", "top_k": 3}, "top_k: campo desconocido"),
        ],
    )
    def test_a_bad_request_is_refused_in_spanish(self, refusing: TestClient, body: object, said: str) -> None:
        details = assert_spanish(refusing.post("/api/retrieve", json=body), 400, "Parámetros inválidos")

        assert said in details

    def test_half_a_surrogate_pair_is_refused(self, refusing: TestClient) -> None:
        answers = [
            refusing.post("/api/retrieve", content=body, headers={"Content-Type": "application/json"})
            for body in (
                rb'{"query": "a\ud800"}',
                rb'{"query": "a", "\ud800": 1}',
                rb'{"query": "a", "config": {"\udc00": 1}}',
            )
        ]

        for answer in answers:
            assert_spanish(answer, 400, "Parámetros inválidos")

    def test_sizes_of_chunks_are_refused_because_they_are_the_index_s(self, refusing: TestClient) -> None:
        chunking = {"config": {"chunking": {"maxChunkSize": 256}}}
        for path, body in (
            ("/api/retrieve", {"query": "la tormenta", **chunking}),
            ("/api/retrieve/evaluate", chunking),
        ):
            answer = refusing.post(path, json=body)

            assert (answer.status_code, answer.json()["error"]) == (400, "Parámetros inválidos")
            assert answer.json()["details"] == (
                "chunking se decide al indexar las notas, así que una configuración no puede cambiarlo; quítalo de ella"
            )

    def test_many_problems_are_not_all_listed(self, refusing: TestClient) -> None:
        body = {"query": "x", **{f"campo{n}": 1 for n in range(100)}}

        details = assert_spanish(refusing.post("/api/retrieve", json=body), 400)

        assert details.endswith("y 95 más")

    def test_a_failing_re_ranker_leaves_the_order_of_the_search(
        self, client: TestClient, add_note, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        add_note(CONFLICT)

        def fail(*_args: object, **_more: object) -> None:
            raise RerankingError("not every passage was scored")

        monkeypatch.setattr(ordering, "rerank", fail)
        body = client.post("/api/retrieve", json={"query": "jefe"}).json()

        assert body["metadata"]["strategy"] == "hybrid"
        assert body["results"]
        assert "rerankScore" not in body["results"][0]["metadata"]

    def test_a_failing_embedder_leaves_the_search_by_words_and_says_so(
        self, client: TestClient, engine: Engine, add_note, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        add_note(CONFLICT)

        def fail(_self: object, _texts: object, *, role: str) -> None:
            raise EmbeddingError("the provider is down")

        monkeypatch.setattr(type(engine.embedder), "embed", fail)
        body = client.post("/api/retrieve", json={"query": "jefe", "strategy": "hybrid"}).json()

        assert body["metadata"]["warnings"] == ["Búsqueda semántica no disponible, usando búsqueda por palabras clave"]
        assert body["results"][0]["metadata"]["retrievalMethod"] == "fulltext"

    @pytest.mark.parametrize(
        ("error", "status", "title", "details"),
        [
            (
                DatabaseUnavailableError("no connection"),
                503,
                "Servicio no disponible",
                "Error de conexión. Por favor, intenta de nuevo más tarde.",
            ),
            (
                DeadlineExceededError("out of time"),
                504,
                "Tiempo de espera agotado",
                "La búsqueda excedió el tiempo límite de 10000ms",
            ),
            (
                RetrievalFailedError("both legs failed"),
                500,
                "Error interno del servidor",
                "No se pudieron recuperar resultados. Por favor, intenta de nuevo.",
            ),
            (
                ZeroDivisionError("a defect"),
                500,
                "Error interno del servidor",
                "Se produjo un error inesperado. Por favor, intenta de nuevo.",
            ),
        ],
    )
    def test_a_failed_search_is_told_by_its_kind(
        self,
        client: TestClient,
        monkeypatch: pytest.MonkeyPatch,
        error: Exception,
        status: int,
        title: str,
        details: str,
    ) -> None:
        def fail(*_args: object, **_more: object) -> None:
            raise error

        monkeypatch.setattr(live_query, "retrieve", fail)

        answer = client.post("/api/retrieve", json={"query": "x"})

        assert assert_spanish(answer, status, title) == details
        assert "Traceback" not in answer.text

    def test_another_tenants_notes_are_not_found(self, client: TestClient, database_url: str, add_note) -> None:
        add_note("La receta de la abuela lleva azafrán.")
        settings = read_settings(database_url=database_url, tenant="ajeno", request_timeout_ms=10_000)

        with (
            open_engine(settings) as other,
            TestClient(create_app(other), base_url="http://127.0.0.1") as stranger,
        ):
            results = stranger.post("/api/retrieve", json={"query": "receta azafrán"}).json()["results"]

        assert results == []
        assert client.post("/api/retrieve", json={"query": "receta azafrán"}).json()["results"] != []


class TestTheWaitForAWorker:
    def test_it_is_part_of_the_time_a_request_has(self, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        given: list[int] = []
        arrived: list[float] = []

        def slow(*_args: object, timeout_ms: int, **_more: object) -> None:
            given.append(timeout_ms)
            arrived.append(arrived_at.get())
            time.sleep(0.4)
            raise DeadlineExceededError("too slow")

        monkeypatch.setattr(live_query, "retrieve", slow)
        settings = read_settings(database_url=database_url, tenant="default", request_timeout_ms=1000)
        with open_engine(settings) as engine, TestClient(create_app(engine), base_url="http://127.0.0.1") as client:
            client.portal.call(_leave_one_worker)
            with ThreadPoolExecutor(4) as clients:
                answers = list(clients.map(lambda _: client.post("/api/retrieve", json={"query": "tren"}), range(4)))

        assert [answer.status_code for answer in answers] == [504] * 4
        assert 2 <= len(given) < 4
        came_later_ms = 1000 * (arrived[-1] - arrived[0])
        assert given[0] - given[-1] + came_later_ms >= 400 * (len(given) - 1)


class TestAnExhaustedPool:
    def test_it_is_told_within_the_time_allowed_and_passes(self, database_url: str) -> None:
        settings = read_settings(database_url=database_url, tenant="default", request_timeout_ms=300)
        with (
            open_engine(settings, pool_size=2) as engine,
            TestClient(create_app(engine), base_url="http://127.0.0.1") as client,
        ):
            with ExitStack() as taken:
                for _ in range(2):
                    taken.enter_context(engine.database.pool.connection())
                began = time.perf_counter()
                answers = [client.get("/api/notes"), client.get("/readyz")]
                seconds = time.perf_counter() - began
            after = client.get("/api/notes")

        for answer in answers:
            details = assert_spanish(answer, 503, "Servicio no disponible")
            assert details == "Error de conexión. Por favor, intenta de nuevo más tarde."
            assert answer.headers["Retry-After"] == "2"
        assert seconds < 4
        assert after.status_code == 200

    def test_a_search_that_waited_in_vain_for_a_connection_is_told_so(
        self, database_url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def late(*_args: object, **_more: object) -> None:
            raise DeadlineExceededError("the search leg ran out of time")

        settings = read_settings(database_url=database_url, tenant="default", request_timeout_ms=300)
        with (
            open_engine(settings, pool_size=2) as engine,
            TestClient(create_app(engine), base_url="http://127.0.0.1") as client,
            ExitStack() as taken,
        ):
            for _ in range(2):
                taken.enter_context(engine.database.pool.connection())

            searched = client.post("/api/retrieve", json={"query": "algo"})
            monkeypatch.setattr(live_query, "retrieve", late)
            late_search = client.post("/api/retrieve", json={"query": "algo"})

        assert_spanish(searched, 503, "Servicio no disponible")
        assert_spanish(late_search, 503, "Servicio no disponible")


async def _leave_one_worker() -> None:
    anyio.to_thread.current_default_thread_limiter().total_tokens = 1
