"""`brain evaluate` against a baseline, and `brain golden baseline`."""

import json
from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from animals import beginning as beginning  # noqa: PLC0414  a fixture, re-exported to pytest
from animals import golden as golden  # noqa: PLC0414  a fixture, re-exported to pytest
from builders import ANIMALS
from command_line import Brain, printed_json

from rag_core.evaluation.golden.importing import import_golden
from rag_core.storage.evaluations import fetch_run, insert_run


def spoil(database) -> None:
    """Make every note unfindable by its animal."""
    with database.owner() as connection:
        connection.execute("delete from brain.chunks")


@pytest.mark.usefixtures("golden")
class TestEvaluate:
    def test_without_a_baseline_nothing_is_compared(self, brain: Brain) -> None:
        run = printed_json(brain("evaluate", "--strategy", "fulltext", "--json"))

        assert run["comparison"] is None
        assert run["strategy"] == "fulltext"
        assert run["purpose"] == "manual"

    def test_ones_own_questions_and_proposed_ones_are_told_apart(self, brain: Brain, database, tenant) -> None:
        nothing = [{"query": f"¿Qué {word}?", "relevant_ids": ["zorro"]} for word in ("xyzzy", "plugh")]
        proposed = [
            {"query": f"¿Dónde vi un {animal}?", "relevant_ids": [animal], "tags": ["proposed"]}
            for animal in ANIMALS[:4]
        ]
        import_golden(database, tenant, [json.dumps(line).encode() for line in (*nothing, *proposed)])

        run = printed_json(brain("evaluate", "--strategy", "fulltext", "--json"))
        said = brain("evaluate", "--strategy", "fulltext").stdout

        found = run["metrics"]["by_origin"]
        # 12 questions of one's own are found first, two not at all; the four proposed ones are all found first
        assert found["own"]["total_queries"] == 14
        assert found["proposed"]["total_queries"] == 4
        assert found["own"]["ndcg_at_10"] == pytest.approx(12 / 14)
        assert found["proposed"]["hit_rate_at"]["10"] == 1.0
        assert "14 own: hit rate @10 0.857, nDCG@10 0.857; 4 proposed: hit rate @10 1.000, nDCG@10 1.000" in said
        assert "proposed_queries" not in run["circumstances"]

    def test_where_nobody_proposed_any_nothing_is_said_of_it(self, brain: Brain) -> None:
        assert printed_json(brain("evaluate", "--strategy", "fulltext", "--json"))["metrics"]["by_origin"] == {}
        assert "by origin" not in brain("evaluate", "--strategy", "fulltext").stdout

    def test_a_run_is_compared_with_another_named_by_its_id(self, brain: Brain) -> None:
        first = printed_json(brain("evaluate", "--strategy", "fulltext", "--json"))

        run = printed_json(brain("evaluate", "--strategy", "semantic", "--baseline", first["run_id"], "--json"))

        assert run["comparison"]["baseline_run_id"] == first["run_id"]
        assert run["comparison"]["queries"] == 12
        assert {"difference", "p_value", "interval"} <= set(run["comparison"]["metrics"]["hit_rate_at_10"])

    def test_a_loss_against_the_baseline_is_told(self, brain: Brain, database) -> None:
        first = printed_json(brain("evaluate", "--strategy", "fulltext", "--json"))
        brain("golden", "baseline", first["run_id"])
        spoil(database)

        said = brain("evaluate", "--strategy", "fulltext").stdout

        assert f"Worse than run {first['run_id']}: nDCG@10 0.000, was 1.000: -1.000" in said

    def test_the_same_again_is_about_as_good(self, brain: Brain) -> None:
        first = printed_json(brain("evaluate", "--strategy", "fulltext", "--json"))
        brain("golden", "baseline", first["run_id"])

        said = brain("evaluate", "--strategy", "fulltext").stdout

        assert "No difference shown from run" in said
        assert "+0.000 (+0.000 to +0.000), p 1.00, on 12 queries" in said

    def test_an_unknown_run_is_an_error_with_the_remedy(self, brain: Brain) -> None:
        done = brain("evaluate", "--baseline", str(uuid4()), "--json")

        assert done.exit_code == 1
        assert "brain evaluate prints the id" in json.loads(done.stdout)["error"]

    def test_what_is_no_id_is_wrong_usage(self, brain: Brain) -> None:
        assert brain("evaluate", "--baseline", "ayer").exit_code == 2


class TestBaseline:
    def test_a_promoted_run_is_listed(self, brain: Brain, golden: None) -> None:
        run = printed_json(brain("evaluate", "--strategy", "fulltext", "--json"))

        listed = printed_json(brain("golden", "baseline", run["run_id"], "--json"))["baselines"]

        assert [(one["set"], one["strategy"], one["run_id"], one["is_automatic"]) for one in listed] == [
            ("default", "fulltext", run["run_id"], False)
        ]
        assert listed[0]["ndcg_at_10"] == 1.0
        assert listed[0]["total_queries"] == 12
        assert printed_json(brain("golden", "baseline", "--json"))["baselines"] == listed
        assert run["run_id"][:8] in brain("golden", "baseline").stdout

    def test_without_any_it_says_how_to_make_one(self, brain: Brain, tenant) -> None:
        assert "brain golden baseline RUN promotes it" in brain("golden", "baseline").stderr

    def test_an_unknown_run_is_an_error(self, brain: Brain, tenant) -> None:
        assert brain("golden", "baseline", str(uuid4())).exit_code == 1


@pytest.mark.usefixtures("golden")
class TestWhatIsAsked:
    @pytest.fixture
    def answered(self, database, tenant, make_note, index_notes) -> None:
        make_note("Un oso pardo se llama Bruno. Vive en el valle.", external_id="bruno")
        index_notes()
        line = {
            "query": "¿Cómo se llama el oso pardo?",
            "relevant_ids": ["bruno"],
            "answer": "Bruno",
            "key_facts": ["Bruno"],
            "category": "comparative",
        }
        import_golden(database, tenant, [json.dumps(line).encode()])

    def test_one_category_alone(self, brain: Brain, answered) -> None:
        run = printed_json(brain("evaluate", "--category", "comparative", "--json"))

        assert run["total_queries"] == 1
        assert run["category"] == "comparative"
        assert list(run["metrics"]["by_category"]) == ["comparative"]

    def test_a_category_that_the_set_does_not_have_is_refused(self, brain: Brain) -> None:
        refused = brain("evaluate", "--category", "multi_hop", "--json")

        assert refused.exit_code == 1
        assert "expected one of factual, causal" in json.loads(refused.stdout)["error"]

    def test_answers_are_measured_where_an_answer_is_expected(self, brain: Brain, answered) -> None:
        run = printed_json(brain("evaluate", "--answers", "--json"))

        answers = run["answers"]
        assert answers["answers"] == 1
        assert answers["judge"] is None
        assert answers["means"]["groundedness"] is None
        assert answers["means"]["key_facts_covered"] == 1.0
        assert answers["counts"]["key_facts_covered"] == 1
        assert run["metrics"]["faithfulness"] == answers["means"]["citation_support"] == 1.0

    def test_the_answers_are_shown_and_who_judged_them(self, brain: Brain, answered) -> None:
        done = brain("evaluate", "--answers", "--category", "comparative")

        assert done.exit_code == 0
        assert "1 answer by extractive" in done.stdout
        assert "judged by nobody" in done.stderr

    def test_what_is_not_measured_is_left_out_with_the_reason_and_what_holds_by_construction_is_said(
        self, brain: Brain, answered
    ) -> None:
        done = brain("evaluate", "--answers", "--category", "comparative")

        assert "expected answer overlap" in done.stdout
        assert "undefined" not in done.stdout
        assert "no answered query has forbidden_content: forbidden content found" in done.stderr
        assert "by construction" in done.stderr

    def test_several_at_a_time_measure_the_same(self, brain: Brain) -> None:
        one = printed_json(brain("evaluate", "--json"))
        several = printed_json(brain("evaluate", "--concurrency", "4", "--json"))

        assert several["metrics"] == one["metrics"]
        assert several["circumstances"]["concurrency"] == 4
        assert several["degraded_queries"] == 0

    def test_the_figures_are_shown_by_category_and_difficulty(self, brain: Brain, answered) -> None:
        shown = brain("evaluate", "--strategy", "hybrid").stdout

        assert "MAP@20" in shown
        assert "U-measure" in shown
        assert "comparative" in shown
        assert "difficulty 3" in shown

    @pytest.mark.parametrize(
        "words", [("--concurrency", "9"), ("--gate", "--answers"), ("--gate", "--category", "causal")]
    )
    def test_what_does_not_go_together_is_wrong_usage(self, brain: Brain, words: tuple[str, ...]) -> None:
        assert brain("evaluate", *words).exit_code == 2


@pytest.mark.usefixtures("golden")
class TestRuns:
    def test_the_first_characters_of_its_id_stand_for_a_run(self, brain: Brain, monkeypatch, tmp_path) -> None:
        monkeypatch.chdir(tmp_path)
        first, second = (
            printed_json(brain("evaluate", "--strategy", name, "--json"))["run_id"] for name in ("fulltext", "semantic")
        )

        compared = printed_json(brain("compare", first[:8], second[:12], "--json"))
        run = printed_json(brain("evaluate", "--strategy", "semantic", "--baseline", first[:8], "--json"))
        promoted = printed_json(brain("golden", "baseline", second[:8], "--json"))["baselines"]
        written = printed_json(brain("report", second[:8], "--baseline", first[:8], "--json"))

        assert compared["baseline_run_id"] == first
        assert compared["candidate_run_id"] == second
        assert run["comparison"]["baseline_run_id"] == first
        assert [one["run_id"] for one in promoted] == [second]
        assert written["run_id"] == second

    @pytest.mark.parametrize("name", ["abc", "ayer", "0b5c7a52-9f0e-4a55-8b64-5d3a3a1c2f1012"])
    def test_what_cannot_begin_an_id_is_wrong_usage(self, brain: Brain, name: str) -> None:
        done = brain("compare", name, name)

        assert done.exit_code == 2
        assert "brain runs" in " ".join(done.output.split())

    def test_a_beginning_of_no_run_or_of_several_is_an_error_with_the_remedy(
        self, brain: Brain, database, tenant
    ) -> None:
        run_id = UUID(printed_json(brain("evaluate", "--strategy", "fulltext", "--json"))["run_id"])
        with database.transaction(tenant) as connection:
            run = fetch_run(connection, tenant, run_id)
            for number in range(2):
                other = UUID(f"abcd{number}000-0000-4000-8000-000000000000")
                insert_run(connection, tenant, replace(run, run_id=other), ())

        none, several = (brain("golden", "baseline", name, "--json") for name in ("dcba", "abcd"))

        assert none.exit_code == 1
        assert several.exit_code == 1
        assert "brain runs lists them" in json.loads(none.stdout)["error"]
        assert "give more characters" in json.loads(several.stdout)["error"]

    def test_they_are_listed_newest_first_and_nothing_is_broken_at_80_columns(
        self, brain: Brain, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        first = printed_json(brain("evaluate", "--strategy", "hybrid+rerank", "--json"))["run_id"]
        second = printed_json(brain("evaluate", "--strategy", "fulltext", "--category", "factual", "--json"))["run_id"]
        brain("golden", "baseline", first)

        listed, shown = printed_json(brain("runs", "--json"))["runs"], brain("runs").stdout
        newest = printed_json(brain("runs", "--limit", "1", "--json"))["runs"]

        assert [(one["run_id"], one["strategy"], one["category"]) for one in listed] == [
            (second, "fulltext", "factual"),
            (first, "hybrid+rerank", None),
        ]
        assert [(one["purpose"], one["is_baseline"]) for one in listed] == [("manual", False), ("manual", True)]
        assert newest == listed[:1]
        assert first[:8] in shown
        assert second[:8] in shown
        assert "hybrid+rerank" in shown
        assert max(map(len, shown.splitlines())) <= 80

    def test_runs_of_another_tenant_are_not_found(self, brain: Brain) -> None:
        run = printed_json(brain("evaluate", "--strategy", "fulltext", "--json"))["run_id"]

        listed = printed_json(brain("runs", "--tenant", "otra", "--json"))["runs"]
        refused = brain("golden", "baseline", run[:8], "--tenant", "otra", "--json")

        assert listed == []
        assert refused.exit_code == 1


class TestWhatIsShown:
    def test_every_figure_has_its_interval_and_percentiles_of_a_few_queries_are_left_out(
        self, brain: Brain, golden: None
    ) -> None:
        shown, document = (
            brain("evaluate", "--strategy", "fulltext").stdout,
            printed_json(brain("evaluate", "--strategy", "fulltext", "--json")),
        )

        row = next(line for line in shown.splitlines() if "hit rate @10" in line)
        assert "1.000" in row
        assert "1.000 to 1.000" in row
        assert "latency p50" in shown
        assert "p95" not in shown
        assert "p99" not in shown
        assert set(document["latency_ms"]) == {"p50", "p95", "p99"}

    def test_what_was_not_found_is_shown_first(self, brain: Brain, golden: None, database, tenant) -> None:
        lines = [b'{"query": "\xc2\xbfQui\xc3\xa9n canta?", "relevant_ids": ["gato"], "category": "causal"}']
        import_golden(database, tenant, lines)

        shown = brain("evaluate", "--strategy", "fulltext").stdout

        assert "worst queries" in shown
        row = next(line for line in shown.splitlines() if "¿Quién canta?" in line)
        assert "not found" in row
        assert "causal" in row

    def test_notes_without_vectors_are_counted_and_said(self, brain: Brain, database, tenant, make_note) -> None:
        for animal in ANIMALS:
            make_note(f"Hoy vi un {animal} en el bosque.", external_id=animal)
        import_golden(database, tenant, [b'{"query": "zorro", "relevant_ids": ["zorro"]}'])

        told = brain("evaluate", "--strategy", "hybrid")
        by_words = brain("evaluate", "--strategy", "fulltext")

        assert told.exit_code == 0
        assert "Notes without vectors: 12 of 12." in told.stderr
        assert printed_json(brain("evaluate", "--strategy", "hybrid", "--json"))["notes_without_vectors"] == 12
        assert "without vectors" not in by_words.stderr

    def test_of_what_it_is_compared_on_is_told(self, brain: Brain, golden: None, database, tenant) -> None:
        first = printed_json(brain("evaluate", "--strategy", "fulltext", "--json"))["run_id"]
        more = [json.dumps({"query": f"¿{a} o bosque?", "relevant_ids": [a]}).encode() for a in ANIMALS]
        import_golden(database, tenant, [*more, b'{"query": "bosque", "relevant_ids": ["gato"]}'])

        told = brain("evaluate", "--strategy", "fulltext", "--baseline", first[:8], "--common")

        assert "No difference shown from run" in told.stdout
        assert "on the 12 queries both asked, of 25" in told.stdout
        assert "most queries were not compared" in told.stderr
