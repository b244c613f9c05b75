"""Exports of golden sets, and imports of what was exported."""

import json
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from golden_sets import COMPLETE, SPANISH, as_lines, shared_database, version
from hypothesis import given
from hypothesis import strategies as st

from rag_core.errors import NotFoundError
from rag_core.evaluation.golden.edits import add_golden_query, delete_golden_query, list_golden_queries
from rag_core.evaluation.golden.exporting import export_document
from rag_core.evaluation.golden.importing import import_golden
from rag_core.model.golden import normalise_query

CATEGORIES = ["factual", "causal", "temporal", "comparative", "multi-part"]


class TestRoundTrip:
    def test_an_export_names_ambiguous_notes_by_their_source(self, database, tenant, make_note) -> None:
        diary = make_note("Diario.", external_id="2024-01-01", source="diario")
        make_note("Agenda.", external_id="2024-01-01", source="agenda")
        plain = make_note("Solo una.", external_id="2024-01-02", source="diario")
        add_golden_query(database, tenant, relevant_note_ids=[diary, plain], **COMPLETE)

        (exported,) = export_document(database, tenant)["queries"]

        assert sorted(exported["relevant_ids"]) == ["2024-01-02", "diario:2024-01-01"]

    def test_an_export_never_names_a_note_by_what_means_another(self, database, tenant, make_note) -> None:
        diary = make_note("Diario.", external_id="x", source="diario")
        make_note("Agenda.", external_id="x", source="agenda")
        make_note("Se llama como una fuente.", external_id="diario:x", source="notas")
        add_golden_query(database, tenant, relevant_note_ids=[diary], **COMPLETE)

        (exported,) = export_document(database, tenant)["queries"]

        assert exported["relevant_ids"] == [str(diary)]

    def test_an_export_has_every_field(self, database, tenant, make_note) -> None:
        note = make_note("Tomates en la azotea.")
        added = add_golden_query(database, tenant, relevant_note_ids=[note], tags=["huerto"], **COMPLETE)

        (exported,) = export_document(database, tenant)["queries"]

        assert exported == {
            "id": str(added.id),
            "query": "¿Quién cultiva tomates?",
            "relevant_ids": ["n1"],
            "answer": "El señor Ferrer",
            "category": "factual",
            "difficulty": 2,
            "tags": ["huerto"],
            "created_at": added.created_at.isoformat(),
            "updated_at": added.updated_at.isoformat(),
        }

    def test_a_query_that_was_deleted_comes_back_from_its_export_with_its_id(self, database, tenant, make_note) -> None:
        note = make_note("Tomates en la azotea.")
        added = add_golden_query(database, tenant, relevant_note_ids=[note], **COMPLETE)
        exported = export_document(database, tenant)["queries"]
        delete_golden_query(database, tenant, added.id)

        import_golden(database, tenant, as_lines(*exported))

        assert list_golden_queries(database, tenant) == [added]

    def test_importing_what_was_just_exported_changes_nothing(self, database, tenant, make_note) -> None:
        note = make_note("Tomates en la azotea.")
        add_golden_query(database, tenant, relevant_note_ids=[note], **COMPLETE)

        report = import_golden(database, tenant, as_lines(*export_document(database, tenant)["queries"]))

        assert (report.imported, report.changed) == (1, 0)
        assert version(database, tenant) == 1

    def test_the_export_of_an_unknown_set_says_how_to_make_it(self, database, tenant) -> None:
        with pytest.raises(NotFoundError, match="brain golden import FILE --set prueba"):
            export_document(database, tenant, set_name="prueba")["queries"]

    def test_the_default_set_is_there_from_the_start(self, database, tenant) -> None:
        assert export_document(database, tenant)["queries"] == []

    @pytest.mark.property(33)
    @shared_database
    @given(
        entries=st.lists(
            st.fixed_dictionaries(
                {"query": SPANISH, "relevant_ids": st.sets(st.sampled_from(["n1", "n2", "n3"]), min_size=1)},
                optional={
                    "id": st.one_of(st.sampled_from(["g1", "g2"]), st.uuids().map(str)),
                    "answer": SPANISH,
                    "category": st.sampled_from(CATEGORIES),
                    "difficulty": st.integers(1, 5),
                    "tags": st.lists(SPANISH, max_size=3),
                    "created_at": st.datetimes(
                        min_value=datetime(1970, 1, 1),  # noqa: DTZ001  the zone follows
                        max_value=datetime(2100, 1, 1),  # noqa: DTZ001
                        timezones=st.just(UTC),
                    ).map(datetime.isoformat),
                },
            ),
            min_size=1,
            max_size=4,
            unique_by=lambda entry: normalise_query(entry["query"]),
        )
    )
    def test_export_then_import_gives_the_same_set(self, database, tenant, make_note, entries) -> None:
        for name in ("n1", "n2", "n3"):
            make_note(f"Nota {name}.", external_id=name)
        set_name = f"original-{uuid4()}"
        lines = as_lines(*({**entry, "relevant_ids": sorted(entry["relevant_ids"])} for entry in entries))
        assert import_golden(database, tenant, lines, set_name=set_name).imported == len(entries)
        before = list_golden_queries(database, tenant, set_name=set_name)
        exported = export_document(database, tenant, set_name=set_name)["queries"]
        copied = json.loads(json.dumps(exported))

        import_golden(database, tenant, as_lines(*copied), set_name=f"{set_name}-copia")
        for query in before:
            delete_golden_query(database, tenant, query.id)
        import_golden(database, tenant, as_lines(*copied), set_name=set_name)

        assert export_document(database, tenant, set_name=f"{set_name}-copia")["queries"] == exported
        assert export_document(database, tenant, set_name=set_name)["queries"] == exported
