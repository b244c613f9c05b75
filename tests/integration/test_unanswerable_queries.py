"""Golden queries that the notes do not answer: outside the retrieval metrics, right when they are refused."""

import json
from dataclasses import replace

import pytest
from animals import beginning as beginning  # noqa: PLC0414  a fixture, re-exported to pytest
from animals import golden as golden  # noqa: PLC0414  a fixture, re-exported to pytest
from command_line import Brain, printed_json
from quoted_answers import QuotedAnswers
from ranked_runs import run_of, searching

from rag_core.errors import InvalidInputError
from rag_core.evaluation.golden.edits import list_golden_queries, update_golden_query
from rag_core.evaluation.golden.exporting import export_document
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.golden.statistics import fetch_set_contents
from rag_core.evaluation.report.markdown import markdown_report
from rag_core.evaluation.runs.run import fetch_evaluation
from rag_core.evaluation.runs.run_json import to_json
from rag_core.storage.golden import list_golden_sets, list_queries_with_deleted_notes

NOWHERE = {"id": "u1", "query": "¿Cuánto mide el faro?", "relevant_ids": [], "answerable": False}


def load(database, tenant, *lines: dict[str, object]):
    return import_golden(database, tenant, [json.dumps(line).encode() for line in lines])


class RefusesOr(QuotedAnswers):
    """Refuses every question but one, which it answers with the first words that come to hand."""

    def __init__(self, answered: str = "") -> None:
        self.answered = answered

    def answer(self, query, hits, *, language, timeout_seconds):
        given = super().answer(query, hits, language=language, timeout_seconds=timeout_seconds)
        if query == self.answered:
            return replace(given, text="Mide treinta metros. [1]", is_refusal=False)
        return replace(given, text="No lo dicen las notas.", citations=(), is_refusal=True)


class TestGoldenSet:
    def test_a_query_without_notes_is_taken_as_unanswerable_and_goes_out_the_same(self, database, tenant) -> None:
        report = load(database, tenant, NOWHERE)

        (stored,) = list_golden_queries(database, tenant)
        (line,) = export_document(database, tenant)["queries"]
        again = load(database, tenant, line)

        assert report.imported == 1
        assert report.rejected == []
        assert stored.is_answerable is False
        assert stored.relevance == ()
        assert line["answerable"] is False
        assert line["relevant_ids"] == []
        assert again.imported == 1
        assert again.changed == 0

    def test_an_answerable_query_says_nothing_of_it_in_an_export(self, database, tenant, make_note) -> None:
        make_note("El faro mide treinta metros.", external_id="n1")
        load(database, tenant, {"query": "¿Cuánto mide el faro?", "relevant_ids": ["n1"], "answerable": True})

        assert "answerable" not in export_document(database, tenant)["queries"][0]

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ({"query": "q", "relevant_ids": []}, 'or "answerable": false'),
            (
                {"query": "q", "relevant_ids": ["n1"], "answerable": False},
                "an unanswerable query has no relevant notes",
            ),
            ({"query": "q", "relevant_ids": [], "answerable": False, "answer": "30"}, "has no expected answer"),
            ({"query": "q", "relevant_ids": [], "answerable": False, "key_facts": ["30"]}, "has no expected answer"),
            ({"query": "q", "relevant_ids": [], "answerable": "no"}, "answerable is 'no'; expected true or false"),
        ],
    )
    def test_what_contradicts_itself_is_rejected(self, database, tenant, make_note, line: dict, reason: str) -> None:
        make_note("El faro.", external_id="n1")

        (rejected,) = load(database, tenant, line).rejected

        assert reason in rejected[1]

    def test_a_query_becomes_answerable_with_its_first_note_and_back(self, database, tenant, make_note) -> None:
        note = make_note("El faro mide treinta metros.", external_id="n1")
        load(database, tenant, NOWHERE)
        (first,) = list_golden_queries(database, tenant)

        update_golden_query(database, tenant, first.id, relevant_note_ids=[note], expected_answer="Treinta metros")
        (with_note,) = list_golden_queries(database, tenant)
        load(database, tenant, NOWHERE)
        (again,) = list_golden_queries(database, tenant)

        assert with_note.is_answerable is True
        assert with_note.relevant_note_ids == (note,)
        assert again.is_answerable is False
        assert again.relevance == ()
        assert again.expected_answer == ""

    def test_an_expected_answer_alone_makes_no_query_answerable(self, database, tenant) -> None:
        load(database, tenant, NOWHERE)
        (query,) = list_golden_queries(database, tenant)

        with pytest.raises(InvalidInputError, match="has no expected answer"):
            update_golden_query(database, tenant, query.id, expected_answer="Treinta metros")

    def test_it_is_counted_apart_from_those_whose_notes_were_deleted(self, database, tenant, make_note) -> None:
        make_note("El faro.", external_id="n1")
        load(database, tenant, NOWHERE, {"query": "¿Qué es?", "relevant_ids": ["n1"]})

        found = fetch_set_contents(database, tenant).statistics()
        with database.transaction(tenant) as connection:
            (summary,) = list_golden_sets(connection, tenant)
            orphans = list_queries_with_deleted_notes(connection, tenant, set_name="default")

        assert found.total_queries == 2
        assert found.unanswerable == 1
        assert found.without_notes == 0
        assert summary.queries == 2
        assert summary.askable == 1
        assert summary.unanswerable == 1
        assert orphans == []


class TestEvaluation:
    @pytest.fixture
    def notes(self, make_note) -> list:
        return [make_note(f"Nota número {number}.", external_id=f"n{number}") for number in (1, 2)]

    @pytest.fixture
    def mixed(self, database, tenant, notes) -> None:
        questions = [{"query": f"q{n}", "relevant_ids": [f"n{n}"]} for n in (1, 2)]
        others = [{"query": f"u{n}", "relevant_ids": [], "answerable": False} for n in (1, 2, 3)]
        assert load(database, tenant, *questions, *others).rejected == []

    def test_they_are_in_no_retrieval_metric_and_not_asked_without_answers(
        self, database, tenant, notes, mixed
    ) -> None:
        n1, n2 = notes

        run = run_of(database, tenant, searching({"q1": [n1], "q2": [n2]}))

        assert run.total_queries == 2
        assert run.orphaned_queries == 0
        assert run.metrics.mrr == 1.0
        assert to_json(run)["unanswerable"] == {
            "queries": 3, "asked": 0, "refused": 0, "failed": 0, "refusal_rate": None, "answered": [],
        }  # fmt: skip

    def test_with_answers_those_that_are_refused_are_right(self, database, tenant, notes, mixed) -> None:
        n1, n2 = notes
        search = searching({"q1": [n1], "q2": [n2], "u1": [n1], "u2": [n2], "u3": []})

        run = run_of(database, tenant, search, answerer=RefusesOr("u2"))

        found = to_json(run)["unanswerable"]
        assert found["queries"] == 3
        assert found["asked"] == 3
        assert found["refused"] == 2
        assert found["failed"] == 0
        assert found["refusal_rate"] == pytest.approx(2 / 3)
        assert [(one["query"], one["answer"]) for one in found["answered"]] == [("u2", "Mide treinta metros. [1]")]
        assert run.total_queries == 2
        assert run.metrics.mrr == 1.0

    def test_one_that_cannot_be_searched_is_neither_refused_nor_answered(self, database, tenant, notes, mixed) -> None:
        n1, n2 = notes
        search = searching({"q1": [n1], "q2": [n2], "u1": [], "u2": []})

        def failing(query: str):
            if query == "u3":
                raise InvalidInputError("no")
            return search(query)

        run = run_of(database, tenant, failing, answerer=RefusesOr())

        found = to_json(run)["unanswerable"]
        assert found["refused"] == 2
        assert found["failed"] == 1
        assert found["refusal_rate"] == 1.0

    def test_the_stored_run_and_its_report_tell_them(self, database, tenant, notes, mixed) -> None:
        n1, n2 = notes
        search = searching({"q1": [n1], "q2": [n2], "u1": [n1], "u2": [n2], "u3": []})
        run = run_of(database, tenant, search, answerer=RefusesOr("u2"))

        with database.transaction(tenant) as connection:
            again = fetch_evaluation(connection, tenant, run.run_id)

        assert to_json(again)["unanswerable"] == to_json(run)["unanswerable"]
        assert "unanswerable" not in json.dumps(to_json(again)["circumstances"])
        line = "Refused, as is right, of the queries that the notes do not answer: 2 of 3; answered: 1 (u2)."
        assert line in markdown_report(again)

    def test_a_set_without_any_says_nothing_of_it(self, database, tenant, notes) -> None:
        load(database, tenant, {"query": "q1", "relevant_ids": ["n1"]})

        run = run_of(database, tenant, searching({"q1": [notes[0]]}))

        assert to_json(run)["unanswerable"] is None
        assert "do not answer" not in markdown_report(run)

    def test_a_set_of_them_alone_cannot_be_measured_and_says_why(self, database, tenant) -> None:
        load(database, tenant, NOWHERE)

        with pytest.raises(InvalidInputError, match="has only queries that the notes do not answer"):
            run_of(database, tenant, searching({}))


@pytest.mark.usefixtures("golden")
class TestCommandLine:
    def test_evaluate_shows_how_many_were_refused(self, brain: Brain, database, tenant) -> None:
        load(database, tenant, {"query": "¿Xyzzy plugh qwertz?", "relevant_ids": [], "answerable": False})

        said = brain("evaluate", "--strategy", "fulltext", "--answers")
        plain = brain("evaluate", "--strategy", "fulltext")

        assert said.exit_code == 0, said.output
        assert "refused, as is right, of the queries that the notes do not answer: 1 of 1" in said.stdout
        assert "1 query that the notes do not answer is asked with --answers only" in plain.output

    def test_json_has_them(self, brain: Brain, database, tenant) -> None:
        load(database, tenant, {"query": "¿Xyzzy plugh qwertz?", "relevant_ids": [], "answerable": False})

        run = printed_json(brain("evaluate", "--strategy", "fulltext", "--answers", "--json"))

        assert run["total_queries"] == 12
        assert run["unanswerable"]["refused"] == 1


def test_a_list_of_sets_and_their_coverage_tell_them(brain: Brain, make_note, tmp_path) -> None:
    make_note("El faro.", external_id="n1")
    file = tmp_path / "golden.jsonl"
    file.write_text("\n".join(map(json.dumps, [NOWHERE, {"query": "q", "relevant_ids": ["n1"]}])), encoding="utf-8")
    brain("golden", "import", str(file))

    (listed,) = printed_json(brain("golden", "list", "--json"))["sets"]
    covered = brain("golden", "coverage")

    assert listed["queries"] == 2
    assert listed["unanswerable"] == 1
    assert listed["without_notes"] == 0
    assert "Unanswerable queries: 1. A refusal is right" in covered.output


def test_an_empty_file_of_golden_queries_exits_1(brain: Brain, tmp_path, tenant) -> None:
    file = tmp_path / "nada.jsonl"
    file.write_text("\n", encoding="utf-8")

    done = brain("golden", "import", str(file))

    assert done.exit_code == 1
    assert "nada.jsonl is empty" in done.stderr


def test_the_same_error_of_many_golden_lines_is_told_once(brain: Brain, tmp_path, tenant) -> None:
    file = tmp_path / "golden.jsonl"
    lines = [{"query": f"q{number}", "relevant_ids": [f"n{number}"]} for number in range(30)]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")

    done = brain("golden", "import", str(file))

    told = [line for line in done.stderr.splitlines() if line.startswith("  line")]
    assert done.exit_code == 1
    assert len(told) == 1
    assert told[0].startswith("  lines 1, 2, 3, 4, 5 and 25 more: no note is called 'n0'")
