"""``brain golden propose``, ``proposals``, ``accept``, ``reject`` and ``review``."""

import json

import pytest
from command_line import Brain, printed_json
from proposals import DIARY
from proposals import diary as diary  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.evaluation.golden.edits import list_golden_queries
from rag_core.model.note import TenantId


@pytest.mark.usefixtures("diary")
class TestCommands:
    def test_proposals_are_made_listed_accepted_and_rejected(self, brain) -> None:
        made = printed_json(brain("golden", "propose", "--count", "3", "--json"))["proposed"]
        first, second, third = (one["id"] for one in made)

        assert (
            printed_json(brain("golden", "accept", first[:13], "--by", "ana", "--json"))["accepted"][0]["query"]
            == made[0]["query"]
        )
        assert printed_json(brain("golden", "reject", second, "--json")) == {"rejected": 1}

        assert [one["id"] for one in printed_json(brain("golden", "proposals", "--json"))["proposals"]] == [third]
        states = {
            one["id"]: one["state"]
            for one in printed_json(brain("golden", "proposals", "--all", "--json"))["proposals"]
        }
        assert states == {first: "accepted", second: "rejected", third: "open"}

    def test_of_several_all_are_accepted_or_none(self, brain, database, tenant) -> None:
        made = printed_json(brain("golden", "propose", "--count", "3", "--json"))["proposed"]
        ids = [one["id"] for one in made]
        brain("golden", "reject", ids[2])

        refused = brain("golden", "accept", *ids, "--by", "ana", "--json")
        states = {
            one["id"]: one["state"]
            for one in printed_json(brain("golden", "proposals", "--all", "--json"))["proposals"]
        }
        before = list_golden_queries(database, tenant)
        accepted = brain("golden", "accept", *ids[:2], "--by", "ana", "--json")

        assert refused.exit_code == 1
        assert f"{ids[2]} is rejected already" in json.loads(refused.stdout)["error"]
        assert states == {ids[0]: "open", ids[1]: "open", ids[2]: "rejected"}
        assert before == []
        assert [one["query"] for one in printed_json(accepted)["accepted"]] == [one["query"] for one in made[:2]]

    def test_several_accepted_at_once_are_one_version(self, brain) -> None:
        ids = [one["id"] for one in printed_json(brain("golden", "propose", "--count", "3", "--json"))["proposed"]]

        brain("golden", "accept", *ids, "--by", "ana")

        (only,) = printed_json(brain("golden", "list", "--json"))["sets"]
        assert (only["version"], only["queries"]) == (1, 3)

    def test_a_long_answer_is_cut_at_a_word(self, brain, database) -> None:
        brain("golden", "propose", "--count", "1")
        with database.owner() as connection:
            connection.execute("update brain.golden_proposals set expected_answer = repeat('palabra ', 40)")

        shown = brain("golden", "proposals").stdout.split("→ ")[1].splitlines()[0]

        assert len(shown) <= 200
        assert shown.endswith(" palabra…")

    def test_an_accepted_one_is_exported_with_its_span(self, brain) -> None:
        one = printed_json(brain("golden", "propose", "--count", "1", "--json"))["proposed"][0]
        brain("golden", "accept", one["id"], "--by", "ana")

        exported = printed_json(brain("golden", "export", "--json"))["queries"]

        assert [query["query"] for query in exported] == [one["query"]]
        assert one["quote"] in json.dumps(exported, ensure_ascii=False)

    def test_better_words_are_for_one_proposal(self, brain) -> None:
        ids = [one["id"] for one in printed_json(brain("golden", "propose", "--count", "2", "--json"))["proposed"]]

        done = brain("golden", "accept", *ids, "--query", "¿Qué?")

        assert done.exit_code == 1
        assert "name only one" in done.output

    def test_an_unknown_proposal_is_an_error_with_a_remedy(self, brain) -> None:
        done = brain("golden", "reject", "deadbeef")

        assert done.exit_code == 1
        assert "brain golden proposals lists them" in done.output

    def test_review_goes_from_one_to_the_next(self, brain) -> None:
        made = printed_json(brain("golden", "propose", "--count", "4", "--json"))["proposed"]

        done = brain("golden", "review", "--by", "ana", typed="y\nn\ne\n¿Qué pasó de verdad?\nNada\ns\n")

        assert done.exit_code == 0, done.output
        assert "accepted 2  rejected 1  skipped 1" in done.output
        exported = {query["query"] for query in printed_json(brain("golden", "export", "--json"))["queries"]}
        assert exported == {made[0]["query"], "¿Qué pasó de verdad?"}

    def test_review_can_be_left_with_what_was_decided_kept(self, brain) -> None:
        brain("golden", "propose", "--count", "3")

        done = brain("golden", "review", typed="n\nq\n")

        assert "accepted 0  rejected 1" in done.output
        assert len(printed_json(brain("golden", "proposals", "--json"))["proposals"]) == 2


class TestWithoutNotes:
    """A tenant that has none: the commands change golden sets, so they do not turn to the demo unasked."""

    COMMANDS = (["propose"], ["proposals"], ["accept", "deadbeef"], ["reject", "deadbeef"], ["review"])

    @pytest.fixture
    def empty(self, brain, monkeypatch: pytest.MonkeyPatch) -> Brain:
        monkeypatch.delenv("BRAIN_TENANT")
        return brain

    @pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
    def test_every_command_says_so_and_how_to_name_the_demo(self, empty, make_note, words) -> None:
        make_note(DIARY["trufa"], external_id="trufa", owner=TenantId("demo"))

        done = empty("golden", *words)

        assert done.exit_code == 1
        assert "default has no notes to propose questions from" in done.stderr
        assert "for the demo's add --tenant demo" in done.stderr

    def test_json_has_the_error(self, empty) -> None:
        done = empty("golden", "propose", "--json")

        assert done.exit_code == 1
        assert json.loads(done.stdout)["error"].startswith("default has no notes")

    def test_a_demo_that_is_not_loaded_is_not_named(self, empty) -> None:
        assert "--tenant demo" not in empty("golden", "proposals").stderr

    def test_what_the_remedy_says_works(self, empty, make_note) -> None:
        make_note(DIARY["trufa"], external_id="trufa", owner=TenantId("demo"))

        assert printed_json(empty("golden", "propose", "--tenant", "demo", "--json"))["notes_read"] == 1


@pytest.mark.usefixtures("diary")
def test_a_second_time_nothing_new_is_said_and_not_passed_over(brain) -> None:
    brain("golden", "propose", "--count", "500")

    again = brain("golden", "propose", "--count", "500")

    assert again.exit_code == 0
    assert "nothing new to propose" in again.stderr


@pytest.mark.usefixtures("diary")
def test_a_review_with_nothing_to_decide_says_what_makes_some(brain) -> None:
    done = brain("golden", "review")

    assert done.exit_code == 0
    assert "no proposals wait; brain golden propose makes some" in done.stderr
