"""``GET /api/configuration``, and that searches and evaluations start from what is served."""

import psycopg
import pytest

from rag_core.api.pages.search_address import PageSearch
from rag_core.configuration.proposals import propose_configuration
from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG, configure
from rag_core.configuration.served import ActiveConfigurations, model_key
from rag_core.model.note import TenantId
from rag_core.reranking.weights import shipped_weights
from rag_core.storage.configurations import append_promotion, fetch_served
from rag_core.storage.notes import ensure_tenant

DEFAULT = TenantId("default")


@pytest.fixture
def serve(engine):
    """Promote a configuration, as another process would, and have this one look at once."""

    def now(override, *, evidence=None, embedding_model=None, owner: TenantId = DEFAULT) -> None:
        with engine.database.transaction(owner) as connection:
            ensure_tenant(connection, owner)
            number = propose_configuration(connection, owner, override=override, embedding_model=embedding_model).number
            last = fetch_served(connection, owner).promotion
            append_promotion(
                connection,
                owner,
                configuration=number,
                action="promote",
                expected=last,
                reason="prueba",
                evidence=evidence,
            )
        object.__setattr__(engine, "configurations", ActiveConfigurations(engine.database))

    return now


class TestShow:
    def test_before_a_promotion_the_defaults_are_served_and_there_is_no_history(self, client, add_note) -> None:
        add_note("Hoy vi un zorro.")

        body = client.get("/api/configuration").json()

        assert body["history"] == []
        assert body["served"] == {
            "number": None,
            "config": DEFAULT_RETRIEVAL_CONFIG.to_wire(),
            "override": {},
            "reranker": shipped_weights().version,
            "embeddingModel": None,
            "isModelDependentLeftOut": False,
            "problems": [],
        }

    def test_the_last_promotion_is_served_and_all_are_listed_newest_first(self, client, add_note, serve) -> None:
        add_note("Hoy vi un zorro.")
        comparison = {"metric": "ndcg_at_10", "difference": 0.04, "p_value": 0.01}
        serve({"topK": {"retrieval": 30}})
        serve({"topK": {"retrieval": 40}}, evidence={"comparison": comparison, "is_forced": False})

        body = client.get("/api/configuration").json()

        assert body["served"]["number"] == 2
        assert body["served"]["config"]["topK"]["retrieval"] == 40
        assert [entry["configuration"] for entry in body["history"]] == [2, 1]
        newest, first = body["history"]
        assert (newest["metric"], newest["difference"], newest["pValue"]) == ("ndcg_at_10", 0.04, 0.01)
        assert (first["action"], first["reason"], first["metric"], first["isForced"]) == (
            "promote",
            "prueba",
            None,
            False,
        )
        assert newest["promotedAt"].endswith("Z")

    def test_values_of_another_model_are_told_to_be_left_out(self, client, add_note, serve) -> None:
        add_note("Hoy vi un zorro.")
        serve({"hybridSearch": {"threshold": 0.7}}, embedding_model="otro@1")

        served = client.get("/api/configuration").json()["served"]

        assert served["isModelDependentLeftOut"] is True
        assert served["embeddingModel"] == "otro@1"
        assert served["config"]["hybridSearch"]["threshold"] is None

    def test_another_tenants_promotions_are_not_shown(self, client, add_note, serve) -> None:
        add_note("Hoy vi un zorro.")
        serve({"topK": {"retrieval": 30}}, owner=TenantId("otra"))

        body = client.get("/api/configuration").json()

        assert (body["served"]["number"], body["history"]) == (None, [])

    @pytest.mark.parametrize("limit", ["0", "101", "x"])
    def test_a_limit_out_of_bounds_is_refused(self, refusing, limit) -> None:
        assert refusing.get("/api/configuration", params={"limit": limit}).status_code == 400


class TestServing:
    def test_a_search_without_a_configuration_gets_what_is_served(self, client, add_note, serve) -> None:
        add_note("Hoy vi un zorro.")
        before = client.post("/api/retrieve", json={"query": "zorro"}).json()

        serve({"strategy": "fulltext"})

        after = client.post("/api/retrieve", json={"query": "zorro"}).json()
        assert (before["metadata"]["strategy"], after["metadata"]["strategy"]) == ("hybrid+rerank", "fulltext")

    def test_a_request_wins_over_what_is_served(self, client, add_note, serve) -> None:
        add_note("Hoy vi un zorro.")
        serve({"strategy": "fulltext", "topK": {"final": 3}})

        found = client.post("/api/retrieve", json={"query": "zorro", "strategy": "hybrid"}).json()

        assert found["metadata"]["strategy"] == "hybrid"

    def test_an_evaluation_without_a_configuration_measures_what_is_served(
        self, client, engine, add_note, serve
    ) -> None:
        note = add_note("Hoy vi un zorro.")
        golden = {
            "query": "¿qué vi?",
            "expectedAnswer": "un zorro",
            "relevantNoteIds": [note["id"]],
            "category": "factual",
            "difficulty": 1,
        }
        assert client.post("/api/golden-dataset", json=golden).status_code == 201
        serve({"hybridSearch": {"threshold": 0.4}}, embedding_model=model_key(engine.model))

        assert client.post("/api/retrieve/evaluate", json={}).status_code == 200

        (run,) = client.get("/api/retrieve/metrics").json()["evaluations"]
        assert run["config"]["hybridSearch"]["threshold"] == 0.4

    @pytest.mark.parametrize(
        ("mode", "strategy"), [("hibrida", "hybrid"), ("palabras", "fulltext"), ("significado", "semantic")]
    )
    def test_the_usual_mode_of_the_page_is_the_strategy_that_is_served(self, mode, strategy) -> None:
        config = PageSearch(query="zorro", mode=mode).config(
            configure({"strategy": "hybrid", "topK": {"retrieval": 30}})
        )

        assert (config.strategy, config.top_k.retrieval) == (strategy, 30)

    def test_the_page_searches_with_what_is_served(self, client, add_note, serve) -> None:
        add_note("Hoy vi un zorro.")
        before = client.get("/", params={"q": "zorro la semana pasada"}).text

        serve({"queryTransformation": {"enableTimeExpressions": False}})

        after = client.get("/", params={"q": "zorro la semana pasada"}).text
        times = "Las notas de entonces van delante"
        assert (times in before, times in after) == (True, False)


class TestInvalidStoredConfiguration:
    """A stored configuration that cannot be used any more is replaced by the defaults, and every response says so."""

    @pytest.fixture
    def spoilt(self, add_note, serve, engine, database_url) -> None:
        add_note("La tormenta inundó el sótano de la abuela.")
        serve({"topK": {"retrieval": 30}})
        with psycopg.connect(database_url, autocommit=True) as owner:
            owner.execute("""update brain.configurations set override = '{"hybridSearch": {"method": "quantum"}}'""")
        object.__setattr__(engine, "configurations", ActiveConfigurations(engine.database))

    def test_a_search_says_so_and_uses_the_defaults(self, client, spoilt) -> None:
        body = client.post("/api/retrieve", json={"query": "la tormenta del sótano"}).json()

        assert body["metadata"]["warnings"] == ["Configuración inválida, usando valores predeterminados"]
        assert [hit["content"] for hit in body["results"]] == ["La tormenta inundó el sótano de la abuela."]
        assert client.get("/api/configuration").json()["served"]["config"] == DEFAULT_RETRIEVAL_CONFIG.to_wire()

    def test_a_remembered_search_says_so_as_long_as_it_holds(self, client, spoilt, serve) -> None:
        def warnings() -> list[str]:
            answer = client.post("/api/retrieve", json={"query": "la tormenta del sótano"})
            return list(answer.json()["metadata"]["warnings"])

        first, again = warnings(), warnings()
        serve({})

        assert (len(first), first == again, warnings()) == (1, True, [])

    @pytest.mark.parametrize(
        ("question", "told"),
        [
            ("¿Qué inundó la tormenta?", "Configuración inválida, usando valores predeterminados"),
            ("What did the storm flood?", "Invalid configuration, using default values"),
            ("Was hat der Sturm überflutet?", "Ungültige Konfiguration, es gelten die Standardwerte"),
        ],
    )
    def test_an_answer_says_so_in_its_language(self, client, spoilt, question, told) -> None:
        body = client.post("/chat", json={"message": question}).json()

        assert told in body["meta"]["warnings"]

    def test_rag_v2_says_so_in_german(self, client, spoilt) -> None:
        body = client.post("/api/v2/rag/search", json={"query": "la tormenta del sótano"}).json()

        assert body["warnings"] == ["Ungültige Konfiguration, es gelten die Standardwerte"]
