"""Configurations stored, served, tried, promoted and taken back, on a real database."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from builders import ANIMALS

from rag_core.configuration.overrides import adopt_override
from rag_core.configuration.proposals import propose_configuration
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
    PromotionRefusedError,
    RerankingError,
)
from rag_core.evaluation.comparison.gate_runs import gate_targets, run_gate
from rag_core.evaluation.golden.exporting import import_golden
from rag_core.model.evaluation import LatencyPercentiles
from rag_core.model.note import TenantId
from rag_core.promotion.promote import promote_configuration, reset_to_defaults, return_to_former
from rag_core.promotion.trial import objection_to, try_configuration
from rag_core.reranking.weights import parse_weights, shipped_weights
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine, open_engine, with_configuration
from rag_core.settings import read_settings
from rag_core.storage.configurations import (
    Configuration,
    append_promotion,
    fetch_configuration,
    fetch_served,
    list_configurations,
    list_promotions,
)
from rag_core.storage.evaluations import fetch_run
from rag_core.storage.notes import ensure_tenant

MORE = {"topK": {"retrieval": 30}}
SHIPPED = shipped_weights()
TUNED = SHIPPED.to_json() | {"version": "tuned-1"}
REVERSED = replace(SHIPPED, version="reversed", coefficients=tuple(-one for one in SHIPPED.coefficients)).to_json()
"""What answers a query best comes last."""

Propose = Callable[..., Configuration]


@pytest.fixture
def propose(database, tenant) -> Propose:
    """Store a configuration as tuning does."""

    def stored(override, **values) -> Configuration:
        with database.transaction(values.pop("owner", tenant)) as connection:
            return propose_configuration(
                connection,
                values.pop("named", tenant),
                override=override,
                embedding_model=values.pop("embedding_model", None),
                **values,
            )

    return stored


@pytest.fixture
def serve(database, tenant) -> Callable[[int | None], None]:
    """Promote without a trial."""

    def now(number: int | None) -> None:
        with database.transaction(tenant) as connection:
            last = fetch_served(connection, tenant).promotion
            append_promotion(connection, tenant, configuration=number, action="promote", expected=last)

    return now


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

        with pytest.raises(RerankingError, match="other features"):
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


@pytest.mark.usefixtures("golden")
class TestPromoting:
    def test_one_that_is_no_worse_is_promoted_with_both_runs_as_evidence(
        self, propose: Propose, engine: Engine, tenant
    ) -> None:
        number = propose(MORE).number

        promotion = promote_configuration(engine, tenant, number, reason="más candidatos")

        assert (promotion.configuration, promotion.action, promotion.reason) == (1, "promote", "más candidatos")
        assert served_configuration(engine.database, tenant, engine.model).number == 1
        evidence = promotion.evidence
        assert (evidence["served"], evidence["objection"], evidence["is_forced"]) == (None, None, False)
        with engine.database.transaction(tenant) as connection:
            runs = {name: fetch_run(connection, tenant, run["run_id"]) for name, run in evidence["runs"].items()}
            (stored,) = list_promotions(connection, tenant)
        assert stored == promotion
        assert {run.purpose for run in runs.values()} == {"promotion"}
        assert [runs[name].config["topK"]["retrieval"] for name in ("served", "candidate")] == [20, 30]
        assert evidence["remarks"] == []
        assert {"configuration": 1, "role": "candidate"}.items() <= runs["candidate"].circumstances.items()
        assert str(runs["candidate"].comparison.baseline_run_id) == evidence["runs"]["served"]["run_id"]

    def test_a_trial_ranks_what_readers_would_get_and_says_that_it_is_less(
        self, propose: Propose, engine: Engine, tenant
    ) -> None:
        number = propose({"strategy": "hybrid", "topK": {"retrieval": 1, "reranking": 1, "final": 1}}).number

        trial = try_configuration(engine, tenant, number)

        served, candidate = trial.served_run, trial.candidate_run
        assert served.config_hash != candidate.config_hash
        assert {len(query.ranked_note_ids) for query in served.queries} == {12}
        # two legs that bring two chunks each
        assert {len(query.ranked_note_ids) for query in candidate.queries} <= {2, 3, 4}
        assert trial.remarks == (
            "readers who ask for no number get 1 result instead of 5 (topK.final); the figures look further down",
        )

    def test_one_that_is_worse_is_refused_and_nothing_changes(self, propose: Propose, engine: Engine, tenant) -> None:
        number = propose({}, reranker_weights=REVERSED).number

        with pytest.raises(PromotionRefusedError, match="worse than what is served") as refused:
            promote_configuration(engine, tenant, number)

        assert refused.value.evidence["verdict"] == "regression"
        assert refused.value.evidence["comparison"]["difference"] < -0.5
        with engine.database.transaction(tenant) as connection:
            assert list_promotions(connection, tenant) == []

    def test_by_force_it_is_promoted_and_the_objection_kept(self, propose: Propose, engine: Engine, tenant) -> None:
        number = propose({}, reranker_weights=REVERSED).number

        promotion = promote_configuration(engine, tenant, number, force=True)

        assert promotion.evidence["is_forced"] is True
        assert "worse" in promotion.evidence["objection"]
        assert served_configuration(engine.database, tenant, engine.model).number == number

    def test_it_is_compared_with_what_is_served_and_not_with_the_defaults(
        self, propose: Propose, serve, engine: Engine, tenant
    ) -> None:
        serve(propose({}, reranker_weights=REVERSED).number)

        trial = try_configuration(engine, tenant, propose(MORE).number)

        assert trial.served.number == 1
        assert trial.verdict == "improvement"
        assert trial.candidate_run.comparison.difference > 0.5

    def test_one_that_is_served_already_stays_and_is_not_measured(
        self, propose: Propose, serve, engine: Engine, tenant
    ) -> None:
        serve(propose(MORE).number)

        again = promote_configuration(engine, tenant, 1)

        assert again.number == 1
        with engine.database.transaction(tenant) as connection:
            assert len(list_promotions(connection, tenant)) == 1

    def test_one_that_takes_too_long_is_refused_unless_what_is_served_does_too(
        self, propose: Propose, engine: Engine, tenant
    ) -> None:
        trial = try_configuration(engine, tenant, propose(MORE).number)
        fast, slow = (
            replace(trial.candidate_run, latency_ms=LatencyPercentiles(p50=10, p95=p95, p99=5000))
            for p95 in (1999, 2001)
        )

        assert "too slow: one query in twenty takes 2001 ms" in objection_to(fast, slow, latency_ms=2000)
        assert objection_to(slow, slow, latency_ms=2000) is None
        assert objection_to(fast, fast, latency_ms=2000) is None

    def test_what_was_promoted_during_the_trial_is_not_overwritten(
        self, propose: Propose, serve, engine: Engine, tenant
    ) -> None:
        number = propose(MORE).number
        other = propose({"topK": {"retrieval": 40}}).number
        is_first = iter([True])

        def interfere(_stage: str, _done: int, _total: int) -> None:
            if next(is_first, False):
                serve(other)

        with pytest.raises(ConflictError, match="promoted meanwhile"):
            promote_configuration(engine, tenant, number, on_progress=interfere)

        assert served_configuration(engine.database, tenant, engine.model).number == other

    def test_a_provider_that_is_not_set_up_here_is_refused_even_by_force(
        self, propose: Propose, engine: Engine, tenant
    ) -> None:
        number = propose({"reranking": {"provider": "http"}}).number

        with pytest.raises(ConfigurationError, match="http"):
            promote_configuration(engine, tenant, number, force=True)

    def test_the_weights_of_a_candidate_re_rank_its_run_alone(self, propose: Propose, engine: Engine, tenant) -> None:

        trial = try_configuration(engine, tenant, propose({}, reranker_weights=TUNED).number)

        assert trial.served_run.models["reranking"] == f"embedded@{SHIPPED.version}"
        assert trial.candidate_run.models["reranking"] == "embedded@tuned-1"
        assert trial.served_run.config_hash != trial.candidate_run.config_hash

    def test_degraded_queries_prove_nothing(self, propose: Propose, engine: Engine, tenant) -> None:
        with engine.database.owner() as connection:
            connection.execute("revoke select on brain.postings from brain_app")

        trial = try_configuration(engine, tenant, propose(MORE).number)

        assert trial.objection == "not comparable: 12 of 12 queries were degraded and 0 failed"


class TestWithoutEvidence:
    def test_without_a_golden_set_a_promotion_is_refused_unless_forced(
        self, propose: Propose, engine: Engine, tenant
    ) -> None:
        number = propose(MORE).number

        with pytest.raises(PromotionRefusedError, match="nothing to judge it by"):
            promote_configuration(engine, tenant, number)

        assert promote_configuration(engine, tenant, number, force=True).configuration == number

    def test_nine_queries_are_too_few(self, propose: Propose, engine, database, tenant, make_note, index_notes) -> None:
        for animal in ANIMALS[:9]:
            make_note(f"Hoy vi un {animal} en el bosque.", external_id=animal)
        index_notes()
        lines = [json.dumps({"query": f"¿y el {one}?", "relevant_ids": [one]}).encode() for one in ANIMALS[:9]]
        import_golden(database, tenant, lines)

        with pytest.raises(PromotionRefusedError, match="9 queries in common"):
            promote_configuration(engine, tenant, propose(MORE).number)


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
    """What is served is another configuration from the second look-up on."""

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
