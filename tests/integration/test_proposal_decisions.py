"""Proposed golden queries, accepted and rejected."""

import pytest
from proposals import DIARY, MADRID, waiting
from proposals import diary as diary  # noqa: PLC0414  a fixture, re-exported to pytest
from proposals import propose as propose  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.errors import ConflictError, InvalidInputError, NotFoundError
from rag_core.evaluation.golden.edits import add_golden_query, list_golden_queries
from rag_core.evaluation.golden.proposals.decide import accept_proposal, find_proposal, reject_proposals
from rag_core.evaluation.golden.proposals.propose import propose_golden_queries
from rag_core.model.note import TenantId
from rag_core.storage.notes import delete_notes


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
