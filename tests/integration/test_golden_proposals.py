"""Golden queries that the program proposes, from templates and with a model."""

import json

import pytest
from ollama_server import ollama_server  # noqa: F401  a fixture
from proposals import DIARY, waiting
from proposals import diary as diary  # noqa: PLC0414  a fixture, re-exported to pytest
from proposals import propose as propose  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.chat.providers.ollama import OllamaChat
from rag_core.evaluation.golden.edits import list_golden_queries
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.golden.proposals.decide import reject_proposals
from rag_core.model.note import TenantId
from rag_core.storage.golden import fetch_golden_set
from rag_core.storage.notes import delete_notes


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
