"""Golden queries that are added, updated and deleted, one at a time."""

import unicodedata
from uuid import uuid4

import pytest
from golden_sets import COMPLETE, SPANISH, remove_notes, shared_database, version
from hypothesis import given
from hypothesis import strategies as st

from rag_core.errors import ConflictError, InvalidInputError, NotFoundError
from rag_core.evaluation.golden.edits import (
    add_golden_query,
    delete_golden_query,
    list_golden_queries,
    update_golden_query,
)
from rag_core.model.note import TenantId


class TestEdits:
    def test_an_added_query_is_listed(self, database, tenant, make_note) -> None:
        note = make_note("Tomates en la azotea.")

        added = add_golden_query(database, tenant, relevant_note_ids=[note, note], tags=["huerto"], **COMPLETE)

        assert list_golden_queries(database, tenant) == [added]
        assert (added.relevant_note_ids, added.tags, added.external_id) == ((note,), ("huerto",), None)

    @pytest.mark.property(30)
    @shared_database
    @given(
        broken=st.one_of(
            st.fixed_dictionaries({"query": st.sampled_from(["", "  ", "\n\t"])}),
            st.fixed_dictionaries({"relevant_note_ids": st.just([])}),
            st.fixed_dictionaries({"expected_answer": st.sampled_from(["", " "])}),
            st.fixed_dictionaries({"category": SPANISH}),
            st.fixed_dictionaries({"difficulty": st.integers().filter(lambda n: n not in range(1, 6))}),
        )
    )
    def test_a_query_with_an_incomplete_field_is_not_added(self, database, tenant, make_note, broken) -> None:
        note = make_note("Tomates en la azotea.")

        with pytest.raises(InvalidInputError):
            add_golden_query(database, tenant, **{"relevant_note_ids": [note], **COMPLETE, **broken})

        assert list_golden_queries(database, tenant) == []

    @pytest.mark.property(31)
    @shared_database
    @given(strangers=st.lists(st.uuids(), min_size=1, max_size=3), is_mixed=st.booleans())
    def test_a_query_on_a_note_that_does_not_exist_is_not_added(
        self, database, tenant, make_note, strangers, is_mixed
    ) -> None:
        note = make_note("Tomates en la azotea.")

        with pytest.raises(NotFoundError, match="no note"):
            add_golden_query(
                database,
                tenant,
                relevant_note_ids=[note, *strangers] if is_mixed else strangers,
                **COMPLETE,
            )

        assert list_golden_queries(database, tenant) == []

    def test_a_note_of_another_tenant_does_not_exist(self, database, tenant, make_note) -> None:
        foreign = make_note("Nota ajena.", owner=TenantId("otra"))

        with pytest.raises(NotFoundError, match=str(foreign)):
            add_golden_query(database, tenant, relevant_note_ids=[foreign], **COMPLETE)

    @pytest.mark.property(32)
    @shared_database
    @given(
        query=SPANISH,
        rewrite=st.sampled_from(
            [
                str.upper,
                lambda text: unicodedata.normalize("NFD", text),
                lambda text: f"  {text}\n",
                lambda text: text.replace(" ", "\u00a0 \t"),
                lambda text: text,
            ]
        ),
    )
    def test_no_set_has_a_query_twice_however_it_is_written(self, database, tenant, make_note, query, rewrite) -> None:
        note = make_note("Tomates en la azotea.")
        set_name = str(uuid4())
        fields = {**COMPLETE, "relevant_note_ids": [note], "set_name": set_name}
        added = add_golden_query(database, tenant, **{**fields, "query": query})

        with pytest.raises(ConflictError, match=str(added.id)):
            add_golden_query(database, tenant, **{**fields, "query": rewrite(query)})

        assert list_golden_queries(database, tenant, set_name=set_name) == [added]

    def test_the_same_query_may_stand_in_two_sets(self, database, tenant, make_note) -> None:
        note = make_note("Tomates en la azotea.")

        for name in ("uno", "dos"):
            add_golden_query(database, tenant, relevant_note_ids=[note], set_name=name, **COMPLETE)

        assert len(list_golden_queries(database, tenant, set_name="dos")) == 1

    def test_an_update_changes_the_fields_that_are_given(self, database, tenant, make_note) -> None:
        note, other = make_note("Tomates en la azotea."), make_note("Pepinos en el balcón.")
        added = add_golden_query(database, tenant, relevant_note_ids=[note], tags=["huerto"], **COMPLETE)

        updated = update_golden_query(
            database, tenant, added.id, query="¿Y los pepinos?", relevant_note_ids=[other], difficulty=5
        )

        assert list_golden_queries(database, tenant) == [updated]
        assert (updated.id, updated.created_at, updated.tags) == (added.id, added.created_at, ("huerto",))
        assert (updated.query, updated.relevant_note_ids, updated.difficulty) == (
            "¿Y los pepinos?",
            (other,),
            5,
        )
        assert (updated.expected_answer, updated.category) == ("El señor Ferrer", "factual")
        assert updated.updated_at > added.updated_at

    def test_a_query_may_be_rewritten_in_its_own_words(self, database, tenant, make_note) -> None:
        note = make_note("Tomates en la azotea.")
        added = add_golden_query(database, tenant, relevant_note_ids=[note], **COMPLETE)

        updated = update_golden_query(database, tenant, added.id, query="¿QUIÉN cultiva tomates?")

        assert updated.query == "¿QUIÉN cultiva tomates?"

    def test_an_update_into_the_words_of_another_query_is_a_conflict(self, database, tenant, make_note) -> None:
        note = make_note("Tomates en la azotea.")
        added = add_golden_query(database, tenant, relevant_note_ids=[note], **COMPLETE)
        other = add_golden_query(database, tenant, relevant_note_ids=[note], **{**COMPLETE, "query": "¿Y los pepinos?"})

        with pytest.raises(ConflictError, match=str(added.id)):
            update_golden_query(database, tenant, other.id, query="¿quién cultiva  tomates?")

        assert list_golden_queries(database, tenant) == [added, other]

    @pytest.mark.parametrize(
        "broken", [{"query": " "}, {"relevant_note_ids": []}, {"expected_answer": ""}, {"difficulty": 0}]
    )
    def test_an_update_cannot_empty_a_field(self, database, tenant, make_note, broken) -> None:
        note = make_note("Tomates en la azotea.")
        added = add_golden_query(database, tenant, relevant_note_ids=[note], **COMPLETE)

        with pytest.raises(InvalidInputError):
            update_golden_query(database, tenant, added.id, **broken)

        assert list_golden_queries(database, tenant) == [added]

    def test_an_update_to_a_note_that_does_not_exist_is_refused(self, database, tenant, make_note) -> None:
        note, stranger = make_note("Tomates en la azotea."), uuid4()
        added = add_golden_query(database, tenant, relevant_note_ids=[note], **COMPLETE)

        with pytest.raises(NotFoundError, match=str(stranger)):
            update_golden_query(database, tenant, added.id, relevant_note_ids=[note, stranger])

        assert list_golden_queries(database, tenant) == [added]

    def test_every_edit_makes_the_version_grow_and_an_empty_one_does_not(self, database, tenant, make_note) -> None:
        note = make_note("Tomates en la azotea.")
        versions = []

        added = add_golden_query(database, tenant, relevant_note_ids=[note], **COMPLETE)
        versions.append(version(database, tenant))
        update_golden_query(database, tenant, added.id, difficulty=5)
        versions.append(version(database, tenant))
        update_golden_query(database, tenant, added.id, difficulty=5)
        versions.append(version(database, tenant))
        delete_golden_query(database, tenant, added.id)
        versions.append(version(database, tenant))

        assert versions == [1, 2, 2, 3]

    def test_what_does_not_exist_can_be_neither_updated_nor_deleted(self, database, tenant, make_note) -> None:
        note = make_note("Nota ajena.", owner=TenantId("otra"))
        foreign = add_golden_query(database, TenantId("otra"), relevant_note_ids=[note], **COMPLETE)

        for query_id in (uuid4(), foreign.id):
            with pytest.raises(NotFoundError, match=str(query_id)):
                update_golden_query(database, tenant, query_id, difficulty=1)
            with pytest.raises(NotFoundError, match=str(query_id)):
                delete_golden_query(database, tenant, query_id)

        assert list_golden_queries(database, TenantId("otra")) == [foreign]

    @pytest.mark.property(31)
    def test_deleting_a_note_takes_it_out_of_the_queries_it_answers(self, database, tenant, make_note) -> None:
        note, other = make_note("Tomates en la azotea."), make_note("Pepinos en el balcón.")
        add_golden_query(database, tenant, relevant_note_ids=[note, other], **COMPLETE)

        remove_notes(database, tenant, note)

        (stored,) = list_golden_queries(database, tenant)
        assert stored.relevant_note_ids == (other,)
