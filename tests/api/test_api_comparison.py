"""``GET /api/retrieve/compare`` and its sister of RAG V2, over runs of a golden set of twelve queries."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from api_answers import assert_spanish
from api_filling import add_note, filling_client
from databases import cloned_database
from fastapi.testclient import TestClient
from psycopg.conninfo import conninfo_to_dict

ADDRESS = "/api/retrieve/compare"
ADDRESSES = (ADDRESS, "/api/v2/evaluation/compare")
CITIES = (
    "Lima",
    "Quito",
    "Bogotá",
    "Cusco",
    "Sucre",
    "Cuenca",
    "Arequipa",
    "Potosí",
    "Cali",
    "Piura",
    "Loja",
    "Tarija",
)


@dataclass(frozen=True)
class Measured:
    """A database with twelve notes, a query for each, and two runs over them: one by full text, and one by meaning."""

    database: str
    golden: list[str]
    pair: tuple[dict[str, Any], dict[str, Any]]


@pytest.fixture(scope="module")
def measured(server: str, template: str) -> Iterator[Measured]:
    """What most tests begin with a copy of."""
    with cloned_database(server, template) as url:
        with filling_client(url) as client:
            golden = [
                add_query(client, f"¿Qué compré en {city}?", add_note(client, f"En {city} compré una manta."))
                for city in CITIES
            ]
            pair = evaluate(client, "fulltext"), evaluate(client, "semantic")
        yield Measured(database=conninfo_to_dict(url)["dbname"], golden=golden, pair=pair)


@pytest.fixture
def beginning(request: pytest.FixtureRequest, template: str) -> str:
    is_measured = {"golden", "pair"} & set(request.fixturenames)
    return request.getfixturevalue("measured").database if is_measured else template


@pytest.fixture
def golden(measured: Measured) -> list[str]:
    """The ids of twelve queries, each for a note of its own."""
    return measured.golden


@pytest.fixture
def pair(measured: Measured) -> tuple[dict[str, Any], dict[str, Any]]:
    """A run by full text, and one by meaning."""
    return measured.pair


def add_query(client: TestClient, query: str, note: str, category: str = "factual") -> str:
    body = {
        "query": query,
        "relevantNoteIds": [note],
        "expectedAnswer": "Una manta.",
        "category": category,
        "difficulty": 1,
    }
    answer = client.post("/api/golden-dataset", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def evaluate(client: TestClient, strategy: str = "fulltext", **body: Any) -> dict[str, Any]:
    answer = client.post("/api/retrieve/evaluate", json={"config": {"strategy": strategy}, **body})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


class TestCompare:
    @pytest.mark.parametrize("address", ADDRESSES)
    def test_two_runs_are_held_against_each_other(self, client: TestClient, pair, address: str) -> None:
        first, second = pair

        answer = client.get(
            address, params={"baseline": first["evaluationId"], "candidate": second["evaluationId"]}
        ).json()

        assert answer["baseline"] == first["evaluationId"]
        assert answer["candidate"] == second["evaluationId"]
        assert answer["config1"] == first["configHash"]
        assert answer["config2"] == second["configHash"]
        assert answer["queries"] == 12
        assert answer["leftOut"] == 0
        assert answer["askedDifferently"] == []
        assert answer["improvements"]["mrr"] == pytest.approx(second["metrics"]["mrr"] - first["metrics"]["mrr"])
        assert answer["improvements"]["hitRateK10"] == pytest.approx(
            second["metrics"]["hitRateK10"] - first["metrics"]["hitRateK10"]
        )
        # Both runs quoted the same sentences, which their notes say.
        assert answer["improvements"]["faithfulness"] == 0.0
        assert answer["improvements"]["answerRelevance"] == 0.0
        assert answer["statisticalSignificance"] in {True, False}
        ndcg = answer["metrics"]["ndcgAt10"]
        assert ndcg["interval"][0] <= ndcg["difference"] <= ndcg["interval"][1]
        assert ndcg["pAdjusted"] >= ndcg["pValue"]
        assert set(answer["queriesNeeded"]) == {"0.01", "0.02", "0.05"}

    def test_a_run_does_not_differ_from_itself_made_again(self, client: TestClient, golden) -> None:
        runs = [evaluate(client)["evaluationId"] for _ in range(2)]

        answer = client.get(ADDRESS, params={"baseline": runs[0], "candidate": runs[1]}).json()

        assert answer["statisticalSignificance"] is False
        assert answer["isRegression"] is False
        assert answer["wins"] == []
        assert answer["losses"] == []
        assert answer["queriesNeeded"] == {"0.01": None, "0.02": None, "0.05": None}

    def test_configurations_are_compared_by_their_newest_comparable_runs(self, client: TestClient, pair) -> None:
        first, second = pair
        newest = evaluate(client, "fulltext")
        evaluate(client, "fulltext", category="factual")

        answer = client.get(ADDRESS, params={"config1": first["configHash"], "config2": second["configHash"]}).json()

        assert answer["baseline"] == newest["evaluationId"]
        assert answer["candidate"] == second["evaluationId"]

    @pytest.mark.parametrize("address", ADDRESSES)
    def test_another_version_of_the_set_is_refused_unless_what_is_common_is_wanted(
        self, client: TestClient, pair, address: str, golden: list[str]
    ) -> None:
        first, _ = pair
        assert client.delete(f"/api/golden-dataset/{golden[0]}").status_code == 204
        later = evaluate(client)
        runs = {"baseline": first["evaluationId"], "candidate": later["evaluationId"]}

        refused, common = client.get(address, params=runs), client.get(address, params=runs | {"common": "1"})

        assert refused.status_code == 409
        assert "common=1" in refused.json()["details"]
        assert common.json()["queries"] == 11
        assert common.json()["leftOut"] == 1
        assert "version" in common.json()["askedDifferently"][0]

    def test_another_category_is_refused(self, client: TestClient, pair) -> None:
        first, _ = pair
        part = evaluate(client, category="factual")

        answer = client.get(ADDRESS, params={"baseline": first["evaluationId"], "candidate": part["evaluationId"]})

        assert answer.status_code == 409

    def test_fewer_than_ten_queries_give_no_verdict(self, client: TestClient) -> None:
        add_query(client, "¿Qué compré en Lima?", add_note(client, "En Lima compré una manta."))
        runs = [evaluate(client, strategy)["evaluationId"] for strategy in ("fulltext", "semantic")]

        answer = client.get(ADDRESS, params={"baseline": runs[0], "candidate": runs[1]}).json()

        assert answer["statisticalSignificance"] is None
        assert answer["isRegression"] is False
        assert answer["objection"] == "no verdict: 1 query in common with the baseline, 10 are needed"

    @pytest.mark.parametrize("address", ADDRESSES)
    def test_an_unknown_run_or_configuration_is_not_found(self, refusing: TestClient, address: str) -> None:
        by_run = refusing.get(address, params={"baseline": str(uuid4()), "candidate": str(uuid4())})
        by_configuration = refusing.get(address, params={"config1": "00c0ffee00c0ffee", "config2": "00c0ffee00c0ffee"})

        assert by_run.status_code == 404
        assert by_configuration.status_code == 404

    @pytest.mark.parametrize(
        "named",
        [
            {},
            {"baseline": str(UUID(int=1))},
            {"config1": "a"},
            {"baseline": str(UUID(int=1)), "config2": "a"},
            {"baseline": "x", "candidate": "y"},
        ],
    )
    def test_what_is_not_named_as_two_of_a_kind_is_a_bad_request(
        self, refusing: TestClient, named: dict[str, str]
    ) -> None:
        assert refusing.get(ADDRESS, params=named).status_code == 400


def test_refusals_are_told_in_spanish(refusing: TestClient) -> None:
    assert_spanish(refusing.get("/api/retrieve/compare"), 400)


def test_rag_v2_has_its_three_figures(client: TestClient, pair) -> None:
    first, second = pair

    answer = client.get(
        ADDRESSES[1], params={"baseline": first["evaluationId"], "candidate": second["evaluationId"]}
    ).json()

    figures = answer["comparisonToBaseline"]
    assert figures["retrievalImprovement"] == pytest.approx(
        second["metrics"]["ndcgAt10"] - first["metrics"]["ndcgAt10"]
    )
    assert figures["generationImprovement"] == 0.0  # both runs quoted the same sentences, which their notes say
    assert figures["latencyChange"] == pytest.approx(second["metrics"]["latencyP95"] - first["metrics"]["latencyP95"])
