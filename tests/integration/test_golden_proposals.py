"""Queries that the program proposes, kept, accepted and rejected, on PostgreSQL and from the command line."""

import json
from zoneinfo import ZoneInfo

import pytest
from command_line import Brain, printed_json
from ollama_server import ollama_server  # noqa: F401  a fixture

from rag_core.chat.providers.ollama import OllamaChat
from rag_core.errors import ConflictError, InvalidInputError, NotFoundError
from rag_core.evaluation.golden.edits import add_golden_query, list_golden_queries
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.golden.proposals.decide import accept_proposal, find_proposal, reject_proposals
from rag_core.evaluation.golden.proposals.propose import propose_golden_queries
from rag_core.model.note import TenantId
from rag_core.storage.golden import fetch_golden_set
from rag_core.storage.notes import delete_notes
from rag_core.storage.proposals import list_proposals

MADRID = ZoneInfo("Europe/Madrid")
DIARY = {
    "trufa": "Noche larga con Julio y con Nora en casa. Julio llegó tarde a la estación del Norte. Nada más por hoy.",
    "rosa": "Reunión con Rosa y con Lucas en la oficina. Rosa leyó una carta de Batiste. Salimos muy tarde porque Lucas "
    "no encontraba los planos.",
    "roscon": "El roscón de este año con Nora y con Julio. Nora jugó tres partidos en un día. Amasar veinte minutos.",
}


@pytest.fixture
def diary(make_note) -> None:
    """Three notes that something can be asked of."""
    for number, (name, text) in enumerate(DIARY.items(), 1):
        make_note(text, external_id=name, created_at=f"2025-0{number}-04")


@pytest.fixture
def propose(database, tenant, diary):
    """Think of queries for the default set."""

    def run(count: int = 20, *, chat=None, owner: TenantId = tenant, set_name: str = "default"):
        return propose_golden_queries(database, owner, set_name=set_name, count=count, zone=MADRID, chat=chat)

    return run


def waiting(database, tenant):
    with database.transaction(tenant) as connection:
        return list_proposals(connection, tenant, state="open")


class TestPropose:
    def test_proposals_are_kept_and_nothing_is_added(self, database, tenant, propose) -> None:
        proposed = propose()

        assert proposed.notes_read == 3
        assert {one.query for one in proposed.proposals} >= {
            "¿Quién llegó tarde a la estación del Norte?",
            "¿Por qué salimos muy tarde el 4 de febrero de 2025?",
            "¿Cuántos partidos jugó Nora en un día?",
        }
        assert list_golden_queries(database, tenant) == []
        with database.transaction(tenant) as connection:
            assert fetch_golden_set(connection, tenant, "default") is None

    @pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
    def test_a_note_of_the_calendars_first_or_last_moment_is_read_too(self, propose, make_note, moment: str) -> None:
        make_note(DIARY["trufa"].replace("Norte", "Sur"), external_id="sin-fecha", created_at=moment)

        proposed = propose()

        assert proposed.notes_read == 4
        assert "¿Quién llegó tarde a la estación del Sur?" in {one.query for one in proposed.proposals}

    def test_each_says_note_place_quote_and_method(self, propose) -> None:
        one = next(one for one in propose().proposals if one.method == "template:cause")

        assert one.place.note_name == "notas:rosa"
        assert DIARY["rosa"][slice(*one.place.span)] == one.place.quote
        assert one.expected_answer == "Lucas no encontraba los planos"
        assert (one.category, one.difficulty, one.state) == ("causal", 3, "open")

    def test_no_more_than_wanted_are_kept_and_the_next_are_others(self, propose) -> None:
        first, second = propose(2), propose(2)

        assert len(first.proposals) == len(second.proposals) == 2
        assert not {one.query for one in first.proposals} & {one.query for one in second.proposals}

    def test_what_was_rejected_is_not_proposed_again(self, database, tenant, propose) -> None:
        everything = propose(500).proposals
        reject_proposals(database, tenant, [one.id for one in everything], by="ana")

        assert propose(500).proposals == ()

    def test_what_the_set_asks_already_is_not_proposed(self, database, tenant, propose) -> None:
        import_golden(
            database,
            tenant,
            [
                json.dumps(
                    {"query": "¿POR QUÉ salimos muy tarde el 4 de febrero de 2025?", "relevant_ids": ["rosa"]}
                ).encode()
            ],
        )

        assert "¿Por qué salimos muy tarde el 4 de febrero de 2025?" not in {
            one.query for one in propose(500).proposals
        }

    def test_a_set_of_the_other_vocabulary_gets_its_categories(self, database, tenant, propose) -> None:
        with database.owner() as connection:
            connection.execute(
                "insert into brain.golden_sets (tenant_id, name, version, vocabulary) values (%s, 'rv', 0, 'rag_v2')",
                (tenant,),
            )

        proposed = propose(500, set_name="rv").proposals

        assert {one.category for one in proposed if one.method == "template:cause"} == {"relational"}
        assert {one.difficulty for one in proposed} <= {1, 3, 5}

    def test_another_tenant_s_notes_are_not_read(self, database, propose) -> None:
        assert propose(owner=TenantId("otra")).notes_read == 0

    def test_with_its_note_a_proposal_is_deleted(self, database, tenant, propose) -> None:
        notes = {one.place.note_id for one in propose(500).proposals}

        with database.transaction(tenant) as connection:
            delete_notes(connection, tenant, list(notes))

        assert waiting(database, tenant) == []


@pytest.mark.usefixtures("diary")
class TestProposeWithAModel:
    @pytest.fixture
    def chat(self, ollama_server):  # noqa: F811
        ollama_server.serve("planted")
        return OllamaChat("planted", host=ollama_server.url)

    def test_the_model_s_question_is_kept_with_the_place_of_its_quote(self, propose, ollama_server, chat) -> None:  # noqa: F811
        ollama_server.reply = lambda body: written(body, question="¿Cómo empezó aquella noche {day}?")

        proposed = propose(2, chat=chat)

        assert proposed.model_failures == 0
        assert {one.method for one in proposed.proposals} == {"model:planted"}
        assert all(DIARY[one.place.note_name.split(":")[1]].startswith(one.place.quote) for one in proposed.proposals)
        assert all(one.place.span == (0, len(one.place.quote)) for one in proposed.proposals)

    @pytest.mark.parametrize(
        "reply",
        [
            lambda _body: "¿Quién llegó? Julio.",
            lambda _body: '{"question": "¿Quién llegó a casa?", "answer": "Julio"}',
            lambda _body: '{"question": "¿Quién llegó a casa?", "answer": "Julio", "quote": "no está en la nota"}',
            lambda body: written(body, question="¿Fue una frase corta?", answer="una frase corta"),
            lambda body: written(body, question=""),
            lambda body: written(body, question="¿" + "x" * 500 + "?"),
        ],
    )
    def test_what_the_model_says_wrongly_gives_way_to_the_template(self, propose, ollama_server, chat, reply) -> None:  # noqa: F811
        ollama_server.reply = reply

        proposed = propose(2, chat=chat)

        assert proposed.model_failures == 2
        assert all(one.method.startswith("template:") for one in proposed.proposals)

    def test_a_model_that_is_away_gives_way_too(self, propose, ollama_server, chat) -> None:  # noqa: F811
        ollama_server.misbehave("drop", path="/api/chat")

        assert len(propose(2, chat=chat).proposals) == 2


def written(body, *, question: str, answer: str = "Así.") -> str:
    """A question on the passage, which quotes its first words."""
    given = json.loads(body["messages"][-1]["content"])
    quote = " ".join(given["passage"].split()[:4])
    return json.dumps({"question": question.replace("{day}", given["date"]), "answer": answer, "quote": quote})


class TestDecide:
    def test_accepted_it_is_a_golden_query_with_the_place_of_its_answer(self, database, tenant, propose) -> None:
        one = next(one for one in propose().proposals if one.method == "template:cause")

        accept_proposal(database, tenant, one.id, by="ana")

        (query,) = list_golden_queries(database, tenant)
        assert (query.query, query.expected_answer) == (
            "¿Por qué salimos muy tarde el 4 de febrero de 2025?",
            "Lucas no encontraba los planos",
        )
        assert (query.created_by, query.verified_by) == ("template:cause", "ana")
        assert query.verified_at is not None
        (relevance,) = query.relevance
        assert relevance.note_id == one.place.note_id
        assert [(span.start, span.end, span.quote) for span in relevance.spans] == [(*one.place.span, one.place.quote)]

    def test_better_words_are_taken(self, database, tenant, propose) -> None:
        one = propose(1).proposals[0]

        accept_proposal(database, tenant, one.id, by="ana", query="¿Qué más?", expected_answer="Nada")

        (query,) = list_golden_queries(database, tenant)
        assert (query.query, query.expected_answer) == ("¿Qué más?", "Nada")

    def test_the_quote_is_found_again_where_the_note_was_edited(self, database, tenant, make_note, propose) -> None:
        one = next(one for one in propose().proposals if one.method == "template:cause")
        make_note(f"Un párrafo nuevo. {DIARY['rosa']}", external_id="rosa", created_at="2025-02-04")

        accept_proposal(database, tenant, one.id, by="ana")

        (span,) = list_golden_queries(database, tenant)[0].relevance[0].spans
        assert (span.start, span.quote) == (one.place.span[0] + 18, one.place.quote)

    def test_a_quote_that_is_gone_cannot_be_accepted(self, database, tenant, make_note, propose) -> None:
        one = next(one for one in propose().proposals if one.method == "template:cause")
        make_note("Otra cosa muy distinta.", external_id="rosa", created_at="2025-02-04")

        with pytest.raises(InvalidInputError, match="no longer says"):
            accept_proposal(database, tenant, one.id, by="ana")

        assert list_golden_queries(database, tenant) == []

    def test_a_proposal_is_decided_once(self, database, tenant, propose) -> None:
        one = propose(1).proposals[0]
        accept_proposal(database, tenant, one.id, by="ana")

        with pytest.raises(ConflictError, match="accepted already"):
            accept_proposal(database, tenant, one.id, by="ana")
        with pytest.raises(ConflictError, match="accepted already"):
            reject_proposals(database, tenant, [one.id], by="ana")

        assert len(list_golden_queries(database, tenant)) == 1

    def test_a_query_that_the_set_got_meanwhile_is_not_added_twice(self, database, tenant, propose) -> None:
        one = propose(1).proposals[0]
        add_golden_query(
            database, tenant, query=one.query, relevant_note_ids=[one.place.note_id], expected_answer="x",
            category="factual", difficulty=1,
        )  # fmt: skip

        with pytest.raises(ConflictError, match="has this query already"):
            accept_proposal(database, tenant, one.id, by="ana")

        assert [left.id for left in waiting(database, tenant)] == [one.id]

    def test_another_tenant_cannot_decide(self, database, tenant, propose) -> None:
        one = propose(1).proposals[0]

        with pytest.raises(NotFoundError, match="no proposal"):
            accept_proposal(database, TenantId("otra"), one.id, by="ana")

    def test_the_beginning_of_an_id_names_a_proposal(self, propose) -> None:
        known = propose(3).proposals

        assert find_proposal(known, str(known[0].id)[:13]) == known[0]
        with pytest.raises(NotFoundError, match="no proposal begins"):
            find_proposal(known, "zzzz")
        with pytest.raises(NotFoundError, match="no proposal begins"):
            find_proposal(known, str(known[0].id)[:3])


class TestOverTwoNotes:
    FIRST = "Tarde larga en casa con Nora y con Trufa. Trufa se comió la goma de borrar. Nadie la echó de menos."
    SECOND = "Otra vez sola en casa con Nora y con Trufa. Trufa se comió media tableta de chocolate. Menudo susto."

    @pytest.fixture
    def compared(self, database, tenant, make_note):
        """The proposal that rests on both notes."""
        make_note(self.FIRST, external_id="goma", created_at="2025-01-04")
        make_note(self.SECOND, external_id="chocolate", created_at="2025-03-04")
        proposed = propose_golden_queries(database, tenant, set_name="default", count=20, zone=MADRID)
        (one,) = [one for one in proposed.proposals if one.further]
        return one

    def test_it_names_both_with_their_places(self, compared) -> None:
        assert compared.query == "¿Qué se comió Trufa el 4 de enero de 2025 y qué el 4 de marzo de 2025?"
        assert compared.expected_answer == "la goma de borrar; media tableta de chocolate"
        assert compared.category == "comparative"
        assert [(place.note_name, place.quote) for place in compared.places] == [
            ("notas:goma", "Trufa se comió la goma de borrar."),
            ("notas:chocolate", "Trufa se comió media tableta de chocolate."),
        ]

    def test_accepted_both_notes_are_relevant_where_they_answer(self, database, tenant, make_note, compared) -> None:
        make_note(f"Con la lluvia. {self.SECOND}", external_id="chocolate", created_at="2025-03-04")

        accepted = accept_proposal(database, tenant, compared.id, by="Marta")

        (stored,) = list_golden_queries(database, tenant)
        assert stored.relevance == accepted.relevance
        found = {one.note_id: [(span.start, span.quote) for span in one.spans] for one in stored.relevance}
        first, second = compared.places
        assert found == {
            first.note_id: [(first.span[0], first.quote)],
            second.note_id: [(second.span[0] + 15, second.quote)],
        }

    def test_one_that_lost_a_quote_cannot_be_accepted(self, database, tenant, make_note, compared) -> None:
        make_note("De esto no queda nada.", external_id="chocolate", created_at="2025-03-04")

        with pytest.raises(InvalidInputError, match="notas:chocolate no longer says"):
            accept_proposal(database, tenant, compared.id, by="Marta")

        assert list_golden_queries(database, tenant) == []

    @pytest.mark.parametrize("name", ["goma", "chocolate"])
    def test_it_is_deleted_with_either_note(self, database, tenant, compared, name) -> None:
        place = next(place for place in compared.places if place.note_name == f"notas:{name}")

        with database.transaction(tenant) as connection:
            delete_notes(connection, tenant, [place.note_id])

        assert compared.id not in {one.id for one in waiting(database, tenant)}
        with database.transaction(tenant) as connection:
            assert connection.execute("select count(*) from golden_proposal_places").fetchone() == (0,)

    def test_another_tenant_sees_no_place(self, database, compared) -> None:
        with database.transaction(TenantId("otra")) as connection:
            assert connection.execute("select count(*) from golden_proposal_places").fetchone() == (0,)


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
