"""A step that meets an outage waits and goes on where it was; what is wrong by itself fails at once."""

from collections.abc import Sequence
from dataclasses import replace

import dagster as dg
import pytest
from pipeline_runs import ImportTexts, RunJob

from rag_assets import stages
from rag_assets.stages import OUTAGE_RETRIES
from rag_core.errors import DatabaseUnavailableError, EmbeddingUnavailableError, RagError
from rag_core.model.embedding import FloatMatrix
from rag_core.runtime.engine import Engine

AT_ONCE = OUTAGE_RETRIES._replace(delay=None, backoff=None, jitter=None)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "OUTAGE_RETRIES", AT_ONCE)


class AbsentEmbedder:
    """A provider that fails so often, with that error, and answers then."""

    name = "hashing"
    dimensions = 768

    def __init__(self, engine: Engine, error: RagError, *, times: int) -> None:
        self.calls = 0
        self._embedder = engine.embedder
        self._error = error
        self._times = times

    def embed(self, texts: Sequence[str], *, role: str) -> FloatMatrix:
        self.calls += 1
        if self.calls <= self._times:
            raise self._error
        return self._embedder.embed(texts, role=role)  # type: ignore[arg-type]


def test_a_provider_that_comes_back_is_waited_for(engine: Engine, run_job: RunJob, import_texts: ImportTexts) -> None:
    import_texts(["Riego el huerto los martes."])
    embedder = AbsentEmbedder(engine, EmbeddingUnavailableError("nobody answers"), times=2)

    result = run_job("update_index", with_engine=replace(engine, embedder=embedder))

    assert result.success
    assert _steps(result, dg.DagsterEventType.STEP_UP_FOR_RETRY) == ["embeddings", "embeddings"]
    assert embedder.calls == 3


def test_a_provider_that_stays_away_fails_the_step_after_five_attempts_and_says_how_to_go_on(
    engine: Engine, run_job: RunJob, import_texts: ImportTexts
) -> None:
    import_texts(["Riego el huerto los martes."])
    embedder = AbsentEmbedder(engine, EmbeddingUnavailableError("nobody answers"), times=100)

    result = run_job("update_index", with_engine=replace(engine, embedder=embedder))

    (failure,) = [event for event in result.all_events if event.is_step_failure]
    said = failure.step_failure_data.user_failure_data
    assert said is not None
    assert said.description is not None
    assert "nobody answers; 5 attempts failed. Nothing live was touched" in said.description
    assert "`brain index`" in said.description
    assert embedder.calls == 5


def test_an_answer_that_is_wrong_is_not_asked_for_again(
    engine: Engine, run_job: RunJob, import_texts: ImportTexts
) -> None:
    import_texts(["Riego el huerto los martes."])
    embedder = AbsentEmbedder(engine, RagError("no vectors but poems"), times=100)

    result = run_job("update_index", with_engine=replace(engine, embedder=embedder))

    assert not result.success
    assert _steps(result, dg.DagsterEventType.STEP_UP_FOR_RETRY) == []
    assert embedder.calls == 1


def test_an_outage_that_ends_leaves_every_note_indexed_once(
    engine: Engine, run_job: RunJob, import_texts: ImportTexts
) -> None:
    import_texts([f"La nota número {number}." for number in range(30)])
    embedder = AbsentEmbedder(engine, EmbeddingUnavailableError("nobody answers"), times=1)

    run_job("update_index", with_engine=replace(engine, embedder=embedder))

    with engine.database.owner() as connection:
        counts = connection.execute("select count(*), count(distinct note_id) from brain.chunks").fetchone()
    assert counts == (30, 30)


def test_a_database_that_comes_back_is_waited_for(
    run_job: RunJob, import_texts: ImportTexts, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rag_assets import fulltext_index

    import_texts(["Riego el huerto los martes."])
    publish, failures = fulltext_index.publish_staged, [DatabaseUnavailableError("no connection to PostgreSQL")]

    def publish_or_fail(*arguments: object, **more: object) -> object:
        if failures:
            raise failures.pop()
        return publish(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(fulltext_index, "publish_staged", publish_or_fail)

    result = run_job("update_index")

    assert result.success
    assert _steps(result, dg.DagsterEventType.STEP_UP_FOR_RETRY) == ["fulltext_index"]


def test_the_waits_grow_and_are_over_within_a_minute() -> None:
    plain = OUTAGE_RETRIES._replace(jitter=None)

    assert [plain.calculate_delay(attempt) for attempt in (1, 2, 3, 4)] == [2, 6, 14, 30]
    assert OUTAGE_RETRIES.jitter is dg.Jitter.PLUS_MINUS


def _steps(result: dg.ExecuteInProcessResult, kind: dg.DagsterEventType) -> list[str | None]:
    return [event.step_key for event in result.all_events if event.event_type == kind]
