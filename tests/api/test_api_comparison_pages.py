"""The pages that compare two runs, and show one query of a run."""

import json
import re
from uuid import uuid4

import pytest
from evaluation_runs import BROWSER, NOWHERE, OURS, text_of
from evaluation_runs import beginning as beginning  # noqa: PLC0414  a fixture, re-exported to pytest
from evaluation_runs import golden as golden  # noqa: PLC0414  a fixture, re-exported to pytest
from evaluation_runs import measure as measure  # noqa: PLC0414  a fixture, re-exported to pytest
from fastapi.testclient import TestClient

from rag_core.api.pages.evaluation.views import words
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.runtime.engine import Engine


@pytest.fixture
def measured_again(measure) -> tuple[EvaluationRun, EvaluationRun]:
    """Two runs between which nothing changed."""
    return measure("semantic"), measure("semantic")


def compared(client: TestClient, before: EvaluationRun, after: EvaluationRun) -> str:
    """The page that holds one run against another."""
    return text_of(client, f"/evaluation/compare?baseline={before.run_id}&candidate={after.run_id}")


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

        assert "Peor: nDCG@10 −0,833, diferencia significativa" in page
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

        assert (
            "diferencia significativa (p = 0,03 de una cola, corregida con Holm entre las métricas que deciden)" in page
        )
        assert 'class="interval worse"' in page

    def test_the_same_run_again_is_no_difference(self, client: TestClient, measured_again) -> None:
        page = compared(client, *measured_again)

        assert "Sin diferencia significativa: nDCG@10 0,000" in page

    def test_runs_that_asked_different_queries_are_compared_only_on_demand(self, client: TestClient, measure) -> None:
        whole, part = measure("fulltext"), measure("fulltext", category="causal")
        address = f"/evaluation/compare?baseline={whole.run_id}&candidate={part.run_id}"

        refused, common = text_of(client, address), text_of(client, f"{address}&common=1")

        assert "No preguntaron lo mismo" in refused
        assert f"{address}&common=1" in refused
        assert "Sin veredicto: 6 consultas en común; se necesitan al menos 10" in common

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
        assert "El índice es distinto" not in page  # it follows from the model

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

        assert "Sin otros cambios: notas, modelos, configuración, índice, conjunto y programa son los mismos" in page

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

        assert "no registró sus entradas" in page

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
