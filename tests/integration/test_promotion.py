"""Configurations stored, served, tried, promoted and taken back, on a real database."""

import threading
from dataclasses import replace

import pytest
from animals import beginning as beginning  # noqa: PLC0414  a fixture, re-exported to pytest
from animals import golden as golden  # noqa: PLC0414  a fixture, re-exported to pytest
from proposing import MORE, REVERSED, SHIPPED, TUNED, Propose
from proposing import propose as propose  # noqa: PLC0414  a fixture, re-exported to pytest
from proposing import serve as serve  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.configuration.overrides import adopt_override
from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG, configure
from rag_core.configuration.served import (
    REMEMBERED_SECONDS,
    RETRY_SECONDS,
    ActiveConfigurations,
    Configurations,
    OneConfiguration,
    ServedConfiguration,
    model_key,
    served_configuration,
)
from rag_core.errors import (
    ConfigurationError,
    ConflictError,
    DatabaseUnavailableError,
    InvalidInputError,
    NotFoundError,
    RerankingError,
)
from rag_core.evaluation.comparison.gate_runs import gate_targets, run_gate
from rag_core.model.note import TenantId
from rag_core.promotion.promote import reset_to_defaults, return_to_former
from rag_core.reranking.weights import parse_weights
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine, open_engine, with_configuration
from rag_core.settings import read_settings
from rag_core.storage.configurations import (
    fetch_configuration,
    fetch_served,
    list_configurations,
    list_promotions,
)
from rag_core.storage.notes import ensure_tenant


class Clock:
    """Seconds that pass when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class TestProposing:
    def test_configurations_are_numbered_from_one_for_every_tenant(self, propose: Propose, database) -> None:
        other = TenantId("otra")
        with database.transaction(other) as connection:
            ensure_tenant(connection, other)

        numbers = [propose(MORE).number, propose(MORE).number, propose(MORE, owner=other, named=other).number]

        assert numbers == [1, 2, 1]

    def test_two_at_once_get_two_numbers(self, propose: Propose, database, tenant) -> None:
        threads = [threading.Thread(target=propose, args=(MORE,)) for _ in range(4)]

        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        with database.transaction(tenant) as connection:
            assert [one.number for one in list_configurations(connection, tenant, limit=9)] == [4, 3, 2, 1]

    def test_what_was_proposed_is_read_back(self, propose: Propose, database, tenant, engine) -> None:
        override = {"hybridSearch": {"method": "rrf"}}

        made = propose(
            override, embedding_model=model_key(engine.model), reranker_weights=TUNED, evidence={"gain": 0.04}
        )

        with database.transaction(tenant) as connection:
            assert fetch_configuration(connection, tenant, 1) == made
        assert (made.override, made.reranker_version, made.origin) == (override, "tuned-1", "tuning")
        assert made.embedding_model == model_key(engine.model)
        assert made.evidence == {"gain": 0.04}

    def test_a_model_is_kept_only_where_a_value_depends_on_it(self, propose: Propose) -> None:
        assert propose(MORE, embedding_model="hashing@1").embedding_model is None
        assert propose({"hybridSearch": {"threshold": 0.2}}, embedding_model="m@1").embedding_model == "m@1"

    def test_the_same_written_by_hand_again_keeps_its_number(self, propose: Propose) -> None:
        numbers = [propose(one, origin="manual").number for one in (MORE, {}, MORE)]

        assert numbers == [1, 2, 1]

    @pytest.mark.parametrize(
        ("override", "told"),
        [
            ({"topk": {"final": 3}}, "topk"),
            ({"topK": {"retrieval": 5}}, "retrieval >= reranking"),
            ({"chunking": {"maxChunkSize": 256}}, "indexed"),
        ],
    )
    def test_what_cannot_be_served_is_refused_and_not_stored(
        self, propose: Propose, database, tenant, override, told
    ) -> None:
        with pytest.raises(ConfigurationError, match=told):
            propose(override)

        with database.transaction(tenant) as connection:
            assert list_configurations(connection, tenant, limit=9) == []

    def test_weights_of_other_features_are_refused(self, propose: Propose) -> None:
        weights = SHIPPED.to_json() | {"version": "old", "features": ["bm25"]}

        with pytest.raises(RerankingError, match="cannot be read"):
            propose({}, reranker_weights=weights)

    def test_an_unknown_number_is_an_error_with_the_remedy(self, database, tenant) -> None:
        with database.transaction(tenant) as connection, pytest.raises(NotFoundError, match="brain promote lists"):
            fetch_configuration(connection, tenant, 7)


class TestServing:
    def test_the_last_promotion_is_served_with_its_weights(self, propose: Propose, serve, engine, tenant) -> None:
        serve(propose(MORE).number)
        serve(propose({"strategy": "fulltext"}, reranker_weights=TUNED).number)

        served = served_configuration(engine.database, tenant, engine.model)

        assert (served.number, served.promotion) == (2, 2)
        assert served.config.strategy == "fulltext"
        assert served.weights.version == "tuned-1"
        assert served_configuration(engine.database, TenantId("otra"), engine.model).number is None

    def test_an_engine_serves_it_and_re_ranks_with_its_weights(
        self, propose: Propose, serve, database_url, tenant
    ) -> None:
        serve(propose(MORE, reranker_weights=TUNED).number)

        with open_engine(read_settings(database_url=database_url)) as engine:
            assert engine.served_config(tenant).top_k.retrieval == 30
            assert engine.model_names(tenant, engine.served_config(tenant))["reranking"] == "embedded@tuned-1"

    def test_an_override_of_a_request_is_merged_over_what_is_served(
        self, propose: Propose, serve, engine, tenant
    ) -> None:
        serve(propose({"topK": {"retrieval": 30}, "strategy": "fulltext"}).number)

        config = configure({"topK": {"reranking": 12}}, base=engine.served_config(tenant))

        assert (config.strategy, config.top_k.retrieval, config.top_k.reranking) == ("fulltext", 30, 12)

    def test_it_is_looked_up_again_after_ten_seconds(self, propose: Propose, serve, engine, tenant) -> None:
        clock = Clock()
        known = ActiveConfigurations(engine.database, clock=clock)
        before = known.of(tenant, engine.model)
        serve(propose(MORE).number)

        clock.now = REMEMBERED_SECONDS - 0.1
        meanwhile = known.of(tenant, engine.model)
        clock.now = REMEMBERED_SECONDS
        afterwards = known.of(tenant, engine.model)

        assert meanwhile is before
        assert (before.number, afterwards.number) == (None, 1)

    def test_what_was_known_holds_while_the_database_refuses(self, propose: Propose, serve, engine, tenant) -> None:
        clock = Clock()
        known = ActiveConfigurations(engine.database, clock=clock)
        serve(propose(MORE).number)
        known.of(tenant, engine.model)
        with engine.database.owner() as connection:
            connection.execute("revoke select on brain.promotions from brain_app")

            clock.now = REMEMBERED_SECONDS
            refused = known.of(tenant, engine.model).number
            connection.execute("grant select on brain.promotions to brain_app")
            clock.now += RETRY_SECONDS
            serve(propose({"topK": {"retrieval": 40}}).number)

        assert refused == 1
        assert known.of(tenant, engine.model).number == 2

    def test_what_was_never_known_is_the_defaults_where_the_database_refuses(
        self, propose: Propose, serve, engine, tenant
    ) -> None:
        serve(propose(MORE).number)
        with engine.database.owner() as connection:
            connection.execute("revoke select on brain.promotions from brain_app")

        assert engine.served_config(tenant) == DEFAULT_RETRIEVAL_CONFIG

    def test_a_database_that_is_away_is_an_error_when_nothing_is_known(self, engine, tenant) -> None:
        engine.database.pool.close()

        with pytest.raises(DatabaseUnavailableError):
            engine.served_config(tenant)


class TestTakingBack:
    def test_returns_go_back_step_by_step_to_the_defaults(self, propose: Propose, serve, database, tenant) -> None:
        for override in (MORE, {"topK": {"retrieval": 40}}):
            serve(propose(override).number)

        steps = [return_to_former(database, tenant, reason="peor").configuration for _ in range(2)]

        assert steps == [1, None]
        with database.transaction(tenant) as connection:
            assert fetch_served(connection, tenant).number is None
            assert [one.action for one in list_promotions(connection, tenant)] == [
                "return",
                "return",
                "promote",
                "promote",
            ]

    def test_a_promotion_that_is_no_longer_the_last_is_not_taken_back(
        self, propose: Propose, serve, database, tenant
    ) -> None:
        for override in (MORE, {"topK": {"retrieval": 40}}):
            serve(propose(override).number)

        with pytest.raises(ConflictError):
            return_to_former(database, tenant, expected=1)

        with database.transaction(tenant) as connection:
            assert fetch_served(connection, tenant).number == 2

    def test_before_the_first_promotion_there_is_nothing_to_go_back_to(self, database, tenant) -> None:
        with pytest.raises(InvalidInputError, match="nothing was before"):
            return_to_former(database, tenant)

    def test_the_defaults_are_served_again_with_the_shipped_weights(
        self, propose: Propose, serve, engine, tenant
    ) -> None:
        serve(propose(MORE, reranker_weights=TUNED).number)

        promotion, again = (reset_to_defaults(engine.database, tenant) for _ in range(2))

        served = served_configuration(engine.database, tenant, engine.model)
        assert promotion.action == "reset"
        assert again is None
        assert (served.number, served.config, served.weights) == (None, DEFAULT_RETRIEVAL_CONFIG, SHIPPED)

    def test_a_reset_can_be_taken_back(self, propose: Propose, serve, database, tenant) -> None:
        serve(propose(MORE).number)
        reset_to_defaults(database, tenant)

        assert return_to_former(database, tenant).configuration == 1


class TestAdopting:
    def test_a_file_is_merged_over_what_is_served_and_keeps_its_weights(
        self, propose: Propose, serve, engine, tenant
    ) -> None:
        serve(propose({"topK": {"retrieval": 30}, "strategy": "hybrid"}, reranker_weights=TUNED).number)

        made = adopt_override(engine.database, engine.model, tenant, {"topK": {"reranking": 15}}, reason="más")

        assert made.override == {"topK": {"retrieval": 30, "reranking": 15}, "strategy": "hybrid"}
        assert (made.number, made.reranker_version, made.origin) == (2, "tuned-1", "manual")

    def test_values_of_another_model_are_not_taken_over(self, propose: Propose, serve, engine, tenant) -> None:
        serve(propose({"hybridSearch": {"threshold": 0.7, "rrfK": 30}}, embedding_model="otro@1").number)

        made = adopt_override(
            engine.database, engine.model, tenant, {"hybridSearch": {"semanticWeight": 0.5}}, reason=None
        )

        assert made.override == {"hybridSearch": {"rrfK": 30, "semanticWeight": 0.5}}
        assert made.embedding_model == model_key(engine.model)


@pytest.mark.usefixtures("golden")
def test_a_promotion_asks_anew_what_was_answered_before(propose: Propose, serve, engine: Engine, tenant) -> None:
    """Answers are remembered by configuration: a promoted one never gets another's."""
    clock = Clock()
    live = replace(engine, configurations=ActiveConfigurations(engine.database, clock=clock))

    def strategy() -> str:
        config = live.served_config(tenant)
        return retrieve(live, tenant, "¿Cuándo vi un zorro?", config=config, timeout_ms=30_000).strategy

    before = strategy()
    serve(propose({"strategy": "fulltext"}).number)
    clock.now = REMEMBERED_SECONDS

    assert (before, strategy()) == ("hybrid+rerank", "fulltext")


@pytest.mark.usefixtures("golden")
def test_a_run_ends_with_what_it_began_whatever_is_promoted_meanwhile(
    propose: Propose, serve, engine: Engine, tenant
) -> None:
    clock = Clock()
    live = replace(engine, configurations=ActiveConfigurations(engine.database, clock=clock))
    number = propose({"hybridSearch": {"rrfK": 30}}, reranker_weights=REVERSED).number

    def interfere(done: int, _total: int) -> None:
        if done == 38:  # the second query of the last strategy
            serve(number)
            clock.now = REMEMBERED_SECONDS

    _, runs = run_gate(live, tenant, targets=gate_targets(live.settings), on_progress=interfere)

    last = runs["hybrid+rerank"]
    assert last.metrics.ndcg_at_10 == 1.0
    assert last.models["reranking"] == f"embedded@{SHIPPED.version}"
    assert live.served(tenant).number == number


class Renewed:
    """Server of another configuration from the second look-up on."""

    def __init__(self, first: ServedConfiguration, then: ServedConfiguration) -> None:
        self.left = iter([first])
        self.then = then

    def of(self, *_asked: object, **_more: object) -> ServedConfiguration:
        return next(self.left, self.then)


@pytest.mark.usefixtures("golden")
def test_a_search_is_remembered_under_the_weights_that_it_ranked_by(engine: Engine, tenant) -> None:
    shipped = ServedConfiguration()
    turned = ServedConfiguration(reranker_version="reversed", weights=parse_weights(REVERSED))

    def first_note(served: Configurations) -> str | None:
        asking = replace(engine, configurations=served)
        found = retrieve(asking, tenant, "¿Cuándo vi un zorro?", config=configure(), timeout_ms=30_000)
        return found.hits[0].external_id

    during = first_note(Renewed(shipped, turned))

    assert during == "zorro"
    assert first_note(OneConfiguration(served=shipped)) == "zorro"
    assert first_note(OneConfiguration(served=turned)) != "zorro"


def test_an_engine_with_one_configuration_serves_it_to_everybody(propose: Propose, serve, engine, tenant) -> None:
    serve(propose(MORE).number)
    pinned = with_configuration(engine, served_configuration(engine.database, tenant, engine.model))

    assert pinned.served_config(TenantId("otra")).top_k.retrieval == 30
    assert engine.served_config(TenantId("otra")) == DEFAULT_RETRIEVAL_CONFIG
