"""The pages of evaluations as the server writes them; what a browser makes of them is in ``tests/browser``."""

import html
import json
import re
from uuid import uuid4

import pytest
from builders import ANIMALS
from fastapi.testclient import TestClient

from rag_core.api.pages.evaluation.views import words
from rag_core.configuration.schema import configure
from rag_core.evaluation.golden.exporting import import_golden
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.evaluation.runs.run import evaluate
from rag_core.evaluation.runs.served import evaluated_search
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.configurations import append_promotion, store_configuration

OURS = TenantId("default")
BROWSER = {"Accept": "text/html"}
NOWHERE = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def golden(engine: Engine, add_note) -> None:
    """Twelve questions, each with the note of its animal; two of them cannot be answered by their words."""
    notes = [
        add_note(f"Hoy vi un {animal} en el bosque.", externalId=animal, title=f"El {animal}") for animal in ANIMALS
    ]
    assert len(notes) == 12
    lines = [
        {
            "query": f"¿Cuándo vi un {animal}?",
            "relevant_ids": [animal],
            "category": "causal" if number % 2 else "factual",
        }
        for number, animal in enumerate(ANIMALS)
    ]
    lines[0]["query"], lines[1]["query"] = "¿<b>Qué</b> xyzzy?", "¿Qué plugh?"
    import_golden(engine.database, OURS, [json.dumps(line).encode() for line in lines])


@pytest.fixture
def measure(engine: Engine, golden: None):
    """Make a run with a strategy, for the default tenant."""

    def run(strategy: str, override: dict | None = None, **more) -> EvaluationRun:
        config = configure(override, strategy=strategy)
        return evaluate(
            engine.database,
            OURS,
            evaluated_search(engine, OURS, config=config, timeout_ms=10_000),
            set_name="default",
            **more,
        )

    return run


@pytest.fixture
def measured_again(measure) -> tuple[EvaluationRun, EvaluationRun]:
    """Two runs between which nothing changed."""
    return measure("semantic"), measure("semantic")


def text_of(client: TestClient, address: str) -> str:
    answer = client.get(address, headers=BROWSER)
    assert answer.status_code == 200, answer.text
    return html.unescape(answer.text)


def compared(client: TestClient, before: EvaluationRun, after: EvaluationRun) -> str:
    """The page that holds one run against another."""
    return text_of(client, f"/evaluation/compare?baseline={before.run_id}&candidate={after.run_id}")


def copy_to_another_tenant(engine: Engine, run_id: str) -> None:
    """Give another tenant the only run there is, with its queries, under this id."""
    changed = json.dumps({"tenant_id": "otra", "run_id": run_id})
    with engine.database.owner() as owner:
        owner.execute("insert into brain.tenants values ('otra')")
        for table in ("evaluation_runs", "evaluation_queries"):
            owner.execute(
                f"insert into brain.{table} select (jsonb_populate_record(r, %s::jsonb)).* from brain.{table} r",
                (changed,),
            )


class TestOverview:
    def test_without_a_golden_set_it_says_how_to_begin(self, client: TestClient) -> None:
        page = text_of(client, "/evaluation")

        assert "Todavía no hay nada que medir" in page
        assert "brain golden propose" in page

    def test_a_set_that_was_never_evaluated_is_shown_with_what_it_lacks(self, client: TestClient, golden: None) -> None:
        page = text_of(client, "/evaluation")

        assert "brain evaluate --set default" in page
        assert "12 consultas; mínimo 50: faltan 38" in page

    def test_every_strategy_has_its_newest_figures_and_a_line(self, client: TestClient, measure) -> None:
        runs = [measure(strategy) for strategy in ("fulltext", "semantic", "fulltext")]

        page = text_of(client, "/evaluation")

        heads = page[page.index('class="heads"') : page.index("De una evaluación a otra")]
        assert re.findall(r"/evaluation/runs/([\w-]+)", heads) == [str(runs[1].run_id), str(runs[2].run_id)]
        assert len(re.findall(r'class="line s2"', page)) == 6  # three metrics, wide and narrow
        assert len(re.findall(r'class="line s1"', page)) == 0  # one run makes no line

    def test_promotions_and_alerts_between_the_runs_are_marked(
        self, client: TestClient, engine: Engine, measure
    ) -> None:
        measure("fulltext")
        with engine.database.transaction(OURS) as connection:
            made = store_configuration(
                connection,
                OURS,
                override={"hybridSearch": {"rrfK": 20}},
                embedding_model=None,
                reranker_weights=None,
                origin="manual",
                evidence={},
            )
            append_promotion(connection, OURS, configuration=made.number, action="promote", expected=None)
        with engine.database.owner() as owner:
            owner.execute("insert into brain.tenants values ('otra') on conflict do nothing")
            for tenant in ("default", "otra"):
                owner.execute(
                    "insert into brain.alerts (tenant_id, rule, subject, severity, title, message) "
                    "values (%s, 'evaluation_regression', %s, 'critical', 'x', 'x')",
                    (tenant, tenant),
                )
        measure("fulltext", {"hybridSearch": {"rrfK": 20}})

        page = text_of(client, "/evaluation")

        told = page[page.index('class="events"') :]
        assert "se sirve la configuración 1, k de la fusión por puestos (hybridSearch.rrfK): 20" in told
        assert told.count("alerta: la evaluación empeoró") == 1  # the other tenant's is nobody else's business
        assert 'href="/evaluation/tuning/1"' in page

    @pytest.mark.parametrize(
        "unserved",
        [
            {"purpose": "benchmark"},
            {"purpose": "model"},
            {"purpose": "promotion", "circumstances": {"configuration": 1, "role": "candidate"}},
            {"override": {"hybridSearch": {"rrfK": 20}}},
        ],
        ids=["a benchmark", "another model", "a trial", "a configuration of its own"],
    )
    def test_what_nobody_was_served_is_listed_and_neither_drawn_nor_at_the_head(
        self, client: TestClient, measure, unserved: dict
    ) -> None:
        served = [measure("fulltext"), measure("fulltext", purpose="nightly")]
        other = measure("fulltext", **unserved)

        page = text_of(client, "/evaluation")

        heads = page[page.index('class="heads"') : page.index("De una evaluación a otra")]
        assert re.findall(r"/evaluation/runs/([\w-]+)", heads) == [str(served[1].run_id)]
        assert len(re.findall(r'class="marker s2"', page)) == 6 * 2 + 1  # two runs, three metrics, twice; and the key
        assert "Una evaluación de lo que no se servía" in page
        assert f"/evaluation/runs/{other.run_id}" in page[page.index('id="evaluaciones"') :]

    def test_a_line_breaks_where_the_set_changed(self, client: TestClient, engine: Engine, measure) -> None:
        runs = [measure("fulltext") for _ in range(4)]
        with engine.database.owner() as owner:
            owner.execute(
                "update brain.evaluation_runs set set_version = 9 where run_id = any(%s)",
                ([run.run_id for run in runs[2:]],),
            )

        page = text_of(client, "/evaluation")

        lines = re.findall(r'points="([^"]+)" class="line s2"', page)
        assert len(lines) == 6 * 2
        assert {len(line.split()) for line in lines} == {2}
        assert "el conjunto pasó a la versión 9: desde aquí son otras consultas" in page

    def test_runs_can_be_told_apart(self, client: TestClient, measure) -> None:
        own = measure("fulltext", {"hybridSearch": {"rrfK": 20}})

        page = text_of(client, "/evaluation")

        row = re.search(rf'<tr><td[^>]*><input[^>]*value="{own.run_id}".*?</tr>', page, re.DOTALL)[0]
        assert f"<code>{str(own.run_id)[:8]}</code>" in row
        assert re.search(r"\d\d:\d\d:\d\d</a>", row)
        assert f"configuración propia ({own.config_hash[:8]})" in row
        assert "<code>hashing@1</code>" in row

    def test_the_head_names_whose_notes_they_are(self, client: TestClient, measure) -> None:
        run = measure("fulltext")

        for address in ("/evaluation", f"/evaluation/runs/{run.run_id}"):
            assert "notas de «default»" in text_of(client, address)

    def test_runs_of_another_tenant_are_not_listed(self, client: TestClient, engine: Engine, measure) -> None:
        run = measure("fulltext")
        copy_to_another_tenant(engine, NOWHERE)

        page = text_of(client, "/evaluation")

        assert str(run.run_id) in page
        assert NOWHERE not in page


class TestRun:
    def test_it_shows_metrics_with_intervals_groups_latency_and_queries(self, client: TestClient, measure) -> None:
        run = measure("fulltext")

        page = text_of(client, f"/evaluation/runs/{run.run_id}")

        assert "Evaluación de «default»" in page
        assert f"nDCG@10 {run.metrics.ndcg_at_10:.3f}".replace(".", ",") in page  # what the chart says of itself
        for heading in ("Métricas", "Por categoría", "Por dificultad", "Latencia", "Peores consultas", "Qué se midió"):
            assert heading in page
        assert page.count("/queries/") == 12 + 2  # all, and the two that have no relevant note first
        assert run.config_hash in page

    def test_the_queries_that_found_nothing_come_first(self, client: TestClient, measure) -> None:
        run = measure("fulltext")

        page = text_of(client, f"/evaluation/runs/{run.run_id}")

        table = page[page.index('id="consultas"') :]
        first_rows = re.findall(r'queries/[\w-]+">([^<]*)', table)[:2]
        assert first_rows[1] == "¿Qué plugh?"

    def test_what_a_user_wrote_is_text(self, client: TestClient, measure) -> None:
        run = measure("fulltext")

        answer = client.get(f"/evaluation/runs/{run.run_id}", headers=BROWSER)

        assert "<b>Qué</b>" not in answer.text
        assert "&lt;b&gt;Qué&lt;/b&gt;" in answer.text

    def test_a_filter_hides_what_does_not_fit_without_any_script(self, client: TestClient, measure) -> None:
        run = measure("fulltext")

        page = text_of(client, f"/evaluation/runs/{run.run_id}?categoria=causal&solo=sin-acierto")

        rows = re.findall(r"<tr data-category[^>]*>", page[page.index('id="consultas"') :])
        assert len(rows) == 12
        assert sum(" hidden" not in row for row in rows) == 1
        assert re.search(r"<span data-shown>1</span> de 12", page)

    def test_it_leads_to_the_comparison_that_was_made_with_it(self, client: TestClient, measure) -> None:
        first = measure("fulltext")
        second = measure("fulltext", baseline_run_id=first.run_id)

        page = text_of(client, f"/evaluation/runs/{second.run_id}")

        address = re.search(r"/evaluation/compare\?[^\"]+", page)[0]
        assert "Comparación" in text_of(client, address)

    @pytest.mark.parametrize("run_id", [NOWHERE, "nada", "1"])
    def test_one_that_does_not_exist_is_a_page_that_says_so(self, client: TestClient, run_id: str) -> None:
        answer = client.get(f"/evaluation/runs/{run_id}", headers=BROWSER)

        assert answer.status_code == 404
        assert "No existe ninguna evaluación con ese identificador" in answer.text

    @pytest.mark.parametrize(("accepted", "kind"), [("*/*", "text/html"), ("application/json", "application/json")])
    def test_only_who_asks_for_json_gets_it(self, client: TestClient, accepted: str, kind: str) -> None:
        answer = client.get(f"/evaluation/runs/{NOWHERE}", headers={"Accept": accepted})

        assert answer.status_code == 404
        assert answer.headers["content-type"].startswith(kind)

    def test_a_link_of_another_tenants_says_whose_it_is(self, client: TestClient, measure) -> None:
        run = measure("fulltext")

        foreign = client.get(f"/evaluation/runs/{run.run_id}?tenant=marta", headers=BROWSER)
        own = client.get(f"/evaluation/runs/{run.run_id}?tenant=default", headers=BROWSER)

        assert (foreign.status_code, own.status_code) == (404, 200)
        assert "Este enlace es de las notas de «marta», y este servidor enseña las de «default»" in foreign.text
        assert "BRAIN_TENANT=marta" in foreign.text

    def test_percentiles_need_queries(self, client: TestClient, measure) -> None:
        run = measure("fulltext")  # twelve queries: p95 and p99 would be the slowest of them

        page = text_of(client, f"/evaluation/runs/{run.run_id}")

        latency = page[page.index("Cuánto tarda") : page.index("Peores consultas")]
        assert "p50" in latency
        assert not re.search(r"p9[59] \d", latency)
        assert "con menos de 20 consultas no se puede decir más" in latency

    def test_another_tenants_run_does_not_exist(self, client: TestClient, engine: Engine, measure) -> None:
        run = measure("fulltext")
        copy_to_another_tenant(engine, NOWHERE)

        assert client.get(f"/evaluation/runs/{run.run_id}").status_code == 200
        assert client.get(f"/evaluation/runs/{NOWHERE}").status_code == 404


class TestComparison:
    def test_it_says_that_it_got_worse_and_which_queries_lost(
        self, client: TestClient, engine: Engine, measure
    ) -> None:
        good, bad = measure("fulltext"), measure("fulltext")
        with engine.database.owner() as owner:
            owner.execute(
                "update brain.evaluation_queries set ranked_note_ids = '{}', first_relevant_rank = null, ndcg_at_10 = 0, "
                "recall_at_20 = 0 where run_id = %s",
                (bad.run_id,),
            )

        page = compared(client, good, bad)

        assert "Peor: nDCG@10 −0,833, y no es casualidad" in page
        assert "0 mejoran, 10 empeoran, 2 quedan igual" in page
        title = re.search(r"<title>([^<]*)", page)[1]
        assert str(good.run_id)[:8] in title
        assert str(bad.run_id)[:8] in title
        losers = page[page.index("Las que más pierden") : page.index("Las que más ganan")]
        assert losers.count("/queries/") == 10
        assert f"?baseline={good.run_id}" in losers

    def test_a_worse_run_names_the_p_that_decides_and_is_red_though_the_two_sided_one_is_not_small(
        self, client: TestClient, engine: Engine, measure
    ) -> None:
        """Five of twelve queries lost: one-sided 1/32, two-sided 2/32."""
        good, bad = measure("fulltext"), measure("fulltext")
        with engine.database.owner() as owner:
            owner.execute(
                "update brain.evaluation_queries set ranked_note_ids = '{}', first_relevant_rank = null, ndcg_at_10 = 0, "
                "recall_at_20 = 0 where run_id = %s and query_id in (select query_id from "
                "brain.evaluation_queries where run_id = %s and ndcg_at_10 > 0.5 order by query_id limit 5)",
                (bad.run_id, bad.run_id),
            )

        page = compared(client, good, bad)

        assert "y no es casualidad (p = 0,03 de una cola, corregida con Holm entre las métricas que deciden)" in page
        assert 'class="interval worse"' in page

    def test_the_same_run_again_is_no_difference(self, client: TestClient, measured_again) -> None:
        page = compared(client, *measured_again)

        assert "Sin diferencia demostrada: nDCG@10 0,000 puede ser casualidad" in page

    def test_runs_that_asked_different_queries_are_compared_only_on_demand(self, client: TestClient, measure) -> None:
        whole, part = measure("fulltext"), measure("fulltext", category="causal")
        address = f"/evaluation/compare?baseline={whole.run_id}&candidate={part.run_id}"

        refused, common = text_of(client, address), text_of(client, f"{address}&common=1")

        assert "No preguntaron lo mismo" in refused
        assert f"{address}&common=1" in refused
        assert "Sin veredicto: 6 consultas en común, y hacen falta 10" in common

    def test_that_one_strategy_reranks_is_no_other_model(self, client: TestClient, measure) -> None:
        semantic, reranked = measure("semantic"), measure("hybrid+rerank")

        page = compared(client, semantic, reranked)

        assert "Los modelos no son los mismos" not in page

    def test_another_model_is_named(self, client: TestClient, engine: Engine, measured_again) -> None:
        before, after = measured_again
        with engine.database.owner() as owner:
            owner.execute(
                'update brain.evaluation_runs set models = models || \'{"embedding": "otro@2"}\', '
                "pipeline_fingerprint = 'otra' where run_id = %s",
                (after.run_id,),
            )

        page = compared(client, before, after)

        assert "Los modelos no son los mismos: significado, hashing@1 antes y otro@2 después" in page
        assert "El índice se hizo de otra manera" not in page  # it follows from the model

    def test_ones_own_questions_and_proposed_ones_are_told_apart(
        self, client: TestClient, engine: Engine, measure
    ) -> None:
        lines = [{"query": "¿Dónde vi un gato?", "relevant_ids": ["gato"], "tags": ["proposed"]}]
        before = measure("fulltext")
        import_golden(engine.database, OURS, [json.dumps(line).encode() for line in lines])
        after = measure("fulltext")

        pages = [text_of(client, f"/evaluation/runs/{run.run_id}") for run in (before, after)]

        # ten of twelve of one's own are found first
        told = "Consultas propias (12): Acierto@10 0,833, nDCG@10 0,833; Consultas propuestas (1): Acierto@10 1,000"
        assert [told in page for page in pages] == [False, True]
        assert "proposed_queries" not in pages[1]

    def test_what_was_searched_that_is_another_is_named(
        self, client: TestClient, engine: Engine, measured_again
    ) -> None:
        before, after = measured_again
        with engine.database.owner() as owner:
            owner.execute(
                """update brain.evaluation_runs set circumstances = jsonb_set(jsonb_set(circumstances,
                '{inputs,program}', '"0.0.9"'), '{inputs,notes}', '"otras"') where run_id = %s""",
                (before.run_id,),
            )
        now = after.circumstances["inputs"]["program"]

        page = compared(client, before, after)

        assert f"Entre las dos cambió: las notas; la versión del programa, de 0.0.9 a {now}." in page

    def test_that_nothing_searched_is_another_is_said(self, client: TestClient, measured_again) -> None:
        before, after = measured_again

        page = compared(client, before, after)

        assert "Buscaron lo mismo: notas, modelos, configuración, índice, conjunto y programa no cambiaron" in page

    def test_that_it_is_not_known_what_was_searched_is_said(
        self, client: TestClient, engine: Engine, measured_again
    ) -> None:
        before, after = measured_again
        with engine.database.owner() as owner:
            owner.execute(
                "update brain.evaluation_runs set circumstances = circumstances - 'inputs' where run_id = %s",
                (before.run_id,),
            )

        page = compared(client, before, after)

        assert "no consta qué buscó" in page

    def test_every_input_that_a_run_keeps_has_a_name(self, measure) -> None:
        run = measure("semantic")

        assert {*run.circumstances["inputs"], "configuration", "models", "pipeline", "goldenSet"} == set(words.INPUTS)

    def test_a_run_that_is_not_there_is_not_found(self, client: TestClient, measure) -> None:
        run = measure("fulltext")

        assert client.get(f"/evaluation/compare?baseline={run.run_id}&candidate={uuid4()}").status_code == 404
        assert client.get("/evaluation/compare").status_code == 404


class TestQuery:
    def test_the_relevant_note_is_marked_and_linked(self, client: TestClient, measure) -> None:
        run = measure("fulltext")
        asked = next(result for result in run.queries if "lobo" in result.query)

        page = text_of(client, f"/evaluation/runs/{run.run_id}/queries/{asked.query_id}")

        row = re.search(r'<tr class="relevant">.*?</tr>', page, re.DOTALL)[0]
        assert "El lobo" in row
        assert f"/notas/{asked.relevant_note_ids[0]}" in row
        assert "✓ buena" in row

    def test_what_was_not_found_is_named(self, client: TestClient, measure) -> None:
        run = measure("fulltext")
        asked = next(result for result in run.queries if "plugh" in result.query)

        page = text_of(client, f"/evaluation/runs/{run.run_id}/queries/{asked.query_id}")

        assert re.search(r"Buenas que no salieron: <a [^>]*>El gato</a>", page)

    def test_two_runs_stand_side_by_side(self, client: TestClient, measure) -> None:
        before, after = measure("semantic"), measure("fulltext")
        asked = next(result for result in after.queries if "lobo" in result.query)

        page = text_of(client, f"/evaluation/runs/{after.run_id}/queries/{asked.query_id}?baseline={before.run_id}")

        assert page.index("Antes: búsqueda por significado") < page.index("Después: búsqueda por palabras")

    def test_a_note_that_was_deleted_since_is_named_so(self, client: TestClient, measure) -> None:
        run = measure("fulltext")
        asked = next(result for result in run.queries if "lobo" in result.query)
        client.delete(f"/api/notes/{asked.relevant_note_ids[0]}")

        page = text_of(client, f"/evaluation/runs/{run.run_id}/queries/{asked.query_id}")

        assert "nota borrada" in page

    def test_a_query_that_was_not_asked_is_not_found(self, client: TestClient, measure) -> None:
        run = measure("fulltext")

        answer = client.get(f"/evaluation/runs/{run.run_id}/queries/{NOWHERE}", headers=BROWSER)

        assert answer.status_code == 404
        assert "no hizo ninguna consulta" in answer.text


class TestWork:
    @pytest.mark.parametrize(
        "address",
        [
            "tuning/99",
            "tuning/nada",
            f"benchmarks/{NOWHERE}",
            "experiments/nada",
            f"tuning/{10**12}",
            f"tuning/{'9' * 5_000}",
        ],
    )
    def test_what_does_not_exist_is_a_page_that_says_so(self, client: TestClient, address: str) -> None:
        answer = client.get(f"/evaluation/{address}", headers=BROWSER)

        assert answer.status_code == 404
        assert "No existe ning" in answer.text

    def test_a_configuration_written_by_hand_says_what_it_changes(
        self, client: TestClient, engine: Engine, golden: None
    ) -> None:
        with engine.database.transaction(OURS) as connection:
            store_configuration(
                connection,
                OURS,
                override={"hybridSearch": {"rrfK": 20}},
                embedding_model=None,
                reranker_weights=None,
                origin="manual",
                evidence={},
            )

        page = text_of(client, "/evaluation/tuning/1")

        assert '{"hybridSearch": {"rrfK": 20}}' in page
        assert "k de la fusión por puestos (hybridSearch.rrfK): 20" in page
        assert "medida contra lo que se servía: ninguna vez todavía" in page

    def test_a_configuration_shows_its_trials(self, client: TestClient, engine: Engine, measure) -> None:
        with engine.database.transaction(OURS) as connection:
            store_configuration(
                connection,
                OURS,
                override={"hybridSearch": {"rrfK": 20}},
                embedding_model=None,
                reranker_weights=None,
                origin="manual",
                evidence={},
            )
        served = measure("hybrid", purpose="promotion", circumstances={"configuration": None, "role": "served"})
        tried = measure(
            "hybrid",
            {"hybridSearch": {"rrfK": 20}},
            purpose="promotion",
            circumstances={"configuration": 1, "role": "candidate"},
            baseline_run_id=served.run_id,
        )

        page = text_of(client, "/evaluation/tuning/1")

        assert "medida contra lo que se servía: 1 vez" in page
        assert f'href="/evaluation/runs/{tried.run_id}"' in page
        assert f"/evaluation/compare?baseline={served.run_id}&candidate={tried.run_id}&common=1" in page


def test_the_search_page_leads_there(client: TestClient) -> None:
    assert 'href="/evaluation"' in client.get("/").text


def test_ids_on_a_page_are_its_own(client: TestClient, measure) -> None:
    run = measure("fulltext")

    for address in ("/evaluation", f"/evaluation/runs/{run.run_id}"):
        ids = re.findall(r'\bid="([^"]+)"', client.get(address).text)
        assert len(ids) == len(set(ids)), address
