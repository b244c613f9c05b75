"""The pages of evaluations as the server writes them; what a browser makes of them is in ``tests/browser``."""

import json
import re

import pytest
from evaluation_runs import BROWSER, NOWHERE, OURS, text_of
from evaluation_runs import beginning as beginning  # noqa: PLC0414  a fixture, re-exported to pytest
from evaluation_runs import golden as golden  # noqa: PLC0414  a fixture, re-exported to pytest
from evaluation_runs import measure as measure  # noqa: PLC0414  a fixture, re-exported to pytest
from fastapi.testclient import TestClient

from rag_core.runtime.engine import Engine
from rag_core.storage.configurations import append_promotion, store_configuration


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
