import json
import re
import uuid
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner

from rag_core.cli import tuning  # noqa: F401  it registers the command
from rag_core.cli.app import app
from rag_core.engine import Engine
from rag_core.errors import InvalidInputError
from rag_core.evaluation.golden_query import GoldenQuery
from rag_core.evaluation.golden_set import import_golden
from rag_core.model import NoteId, TenantId
from rag_core.reranking.active import active_weights
from rag_core.reranking.embedded import shipped_weights
from rag_core.reranking.fitting import FOLDS
from rag_core.reranking.tuning import Comparison, Tuning, judge, searching, tune

THINGS = [
    "paraguas",
    "bufanda",
    "bicicleta",
    "guitarra",
    "maleta",
    "cámara",
    "mochila",
    "sombrero",
    "violín",
    "tablero",
]
PLACES = ["Cádiz", "Pamplona", "Soria", "Teruel"]


@pytest.fixture
def diary(make_note, index_notes) -> list[dict]:
    """Forty notes, each of a thing lost somewhere, and a question to each."""
    lines = []
    for thing in THINGS:
        for place in PLACES:
            name = f"{thing}-{place}"
            make_note(f"Hoy estuve en {place}. Perdí mi {thing} en la estación y nadie me ayudó.", external_id=name)
            lines.append({"query": f"¿qué pasó con mi {thing} en {place}?", "relevant_ids": [name]})
    index_notes()
    return lines


@pytest.fixture
def titled_diary(make_note, index_notes) -> list[dict]:
    """What happened stands under the thing and the place as a title; beside it the bare question, which shares more words.

    The shipped weights do not count titles: on the articles they were fitted on a title says nothing.
    """
    lines = []
    for thing in THINGS:
        for place in PLACES:
            name = f"{thing}-{place}"
            make_note(f"Perdí mi {thing} y nadie me ayudó.", title=f"{thing} en {place}", external_id=name)
            make_note(f"Me preguntan: ¿qué pasó con mi {thing} en {place}? No contesto.", external_id=f"eco-{name}")
            lines.append({"query": f"¿qué pasó con mi {thing} en {place}?", "relevant_ids": [name]})
    index_notes()
    return lines


def golden(database, tenant: TenantId, lines: list[dict], name: str = "default") -> None:
    content = [json.dumps(line, ensure_ascii=False).encode() for line in lines]
    assert import_golden(database, tenant, content, set_name=name).imported == len(lines)


def query_about(text: str, notes: tuple[NoteId, ...]) -> GoldenQuery:
    now = datetime.now(UTC)
    return GoldenQuery(
        id=uuid.uuid4(),
        external_id=None,
        query=text,
        relevant_note_ids=notes,
        expected_answer="",
        category="factual",
        difficulty=3,
        tags=(),
        created_at=now,
        updated_at=now,
    )


def brain(*words: str) -> tuple[int, dict]:
    result = CliRunner().invoke(app, [*words, "--json"])
    return result.exit_code, json.loads(result.stdout)


@pytest.fixture
def as_command(database_url, tenant, monkeypatch) -> None:
    """The command line works on the test's database and tenant."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("BRAIN_TENANT", tenant)


def test_what_is_learnt_from_is_what_is_served(engine: Engine, tenant, make_note, index_notes) -> None:
    note = make_note("Perdí el paraguas en Cádiz.")
    make_note("El paraguas de la abuela es verde.")
    index_notes()

    found = judge(query_about("¿dónde perdí el paraguas?", (note,)), searching(engine, tenant, timeout_ms=30_000))

    assert found is not None
    assert found.features.shape[0] == len(found.notes) == 2
    assert found.relevant == {note}
    assert found.is_informative


def test_a_query_that_finds_nothing_is_left_out(engine: Engine, tenant) -> None:
    assert judge(query_about("nada", ()), searching(engine, tenant, timeout_ms=30_000)) is None


def test_a_query_that_cannot_be_searched_is_left_out(engine: Engine, tenant) -> None:
    assert judge(query_about("x" * 3000, ()), searching(engine, tenant, timeout_ms=30_000)) is None


@pytest.mark.usefixtures("as_command")
def test_tuning_compares_out_of_fold_and_stores_what_is_better(database, tenant, titled_diary) -> None:
    golden(database, tenant, titled_diary)

    code, said = brain("tune")

    assert code == 0
    assert (said["queries"], said["left_out"], said["folds"]) == (40, 0, FOLDS)
    for metric in said["metrics"].values():
        assert 0 <= metric["without_reranking"] <= 1
        assert metric["difference"]["low"] <= metric["difference"]["mean"] <= metric["difference"]["high"]
        assert metric["difference"]["mean"] == pytest.approx(metric["tuned"] - metric["shipped"])
    assert said["stored"] == said["is_worth_keeping"]
    assert said["stored"]
    active = active_weights(database, tenant)
    assert active.version == said["version"]
    assert active.fitted_on["sets"] == ["default"]
    assert active.fitted_on["queries"] == 40


@pytest.mark.usefixtures("as_command")
def test_a_dry_run_stores_nothing_and_reset_brings_the_shipped_weights_back(database, tenant, titled_diary) -> None:
    golden(database, tenant, titled_diary)

    _, dry = brain("tune", "--dry-run")
    between = active_weights(database, tenant)
    brain("tune")
    tuned = active_weights(database, tenant)
    _, reset = brain("tune", "--reset")

    assert dry["stored"] is False
    assert between == shipped_weights()
    assert tuned.version.startswith("tuned-")
    assert reset == {"reset": True, "version": shipped_weights().version}
    assert active_weights(database, tenant) == shipped_weights()


@pytest.mark.usefixtures("as_command")
def test_weights_that_gain_nothing_are_not_stored_and_the_message_says_so(database, tenant, diary) -> None:
    golden(database, tenant, diary)

    code, said = brain("tune")
    shown = CliRunner().invoke(app, ["tune"]).stdout

    assert code == 0
    assert {metric["difference"]["mean"] for metric in said["metrics"].values()} == {0}
    assert not said["is_worth_keeping"]
    assert not said["stored"]
    assert "not stored: on queries they have not seen the new weights are no better than the shipped ones" in shown
    assert active_weights(database, tenant) == shipped_weights()


@pytest.mark.parametrize(
    ("ndcg", "mrr", "said"),
    [
        ((0.02, 0.01, 0.03), (0.01, 0.0, 0.02), None),
        ((0.02, 0.01, 0.03), (0.0, 0.0, 0.0), None),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), "no better than the shipped ones"),
        ((-0.01, -0.02, 0.0), (0.0, 0.0, 0.0), "no better than the shipped ones"),
        ((0.02, 0.01, 0.03), (0.01, -0.01, 0.03), "difference in MRR begins below 0"),
        ((0.02, -0.01, 0.05), (0.01, -0.01, 0.03), r"difference in nDCG@10 and MRR begins below 0"),
    ],
)
def test_weights_are_worth_keeping_when_a_metric_gains_and_none_may_lose(ndcg, mrr, said) -> None:
    found = Tuning(
        weights=shipped_weights(),
        queries=40,
        left_out=0,
        comparisons=tuple(
            Comparison(metric=metric, without=0.5, shipped=0.5, tuned=0.5 + difference[0], difference=difference)
            for metric, difference in (("ndcg_at_10", ndcg), ("mrr", mrr))
        ),
    )

    assert found.is_worth_keeping is (said is None)
    assert said is None or re.search(said, found.objection or "")


@pytest.mark.usefixtures("as_command")
def test_too_few_queries_are_an_error_that_says_how_many_are_needed(database, tenant, diary) -> None:
    golden(database, tenant, diary[:29], name="pocas")

    code, said = brain("tune", "--set", "pocas")

    assert code == 1
    assert "29 queries" in said["error"]
    assert "at least 30" in said["error"]
    assert active_weights(database, tenant) == shipped_weights()


@pytest.mark.usefixtures("as_command")
def test_an_unknown_set_is_an_error_that_lists_the_known_ones(database, tenant, diary) -> None:
    golden(database, tenant, diary[:1], name="diario")

    code, said = brain("tune", "--set", "otro")

    assert code == 1
    assert "'otro' (there is: diario)" in said["error"]


def test_progress_counts_queries_and_folds(engine: Engine, tenant, diary) -> None:
    with engine.database.transaction(tenant) as connection:
        notes = dict(connection.execute("select external_id, note_id from notes").fetchall())
    queries = [query_about(line["query"], (notes[line["relevant_ids"][0]],)) for line in diary[:30]]
    steps: list[None] = []

    tune(
        queries,
        search=searching(engine, tenant, timeout_ms=30_000),
        set_name="x",
        shipped=shipped_weights(),
        on_progress=lambda: steps.append(None),
    )

    assert len(steps) == 30 + FOLDS


def test_a_set_without_anything_relevant_found_cannot_be_learnt_from(engine: Engine, tenant, diary) -> None:
    queries = [query_about(line["query"], (NoteId(uuid.uuid4()),)) for line in diary]

    with pytest.raises(InvalidInputError, match="0 of them a relevant note"):
        tune(queries, search=searching(engine, tenant, timeout_ms=30_000), set_name="x", shipped=shipped_weights())
