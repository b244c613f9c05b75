"""Golden sets on a real database: what an import takes, what it refuses, and what a round trip keeps."""

import json
import threading
import unicodedata
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_core.errors import ConflictError, InvalidInputError, NotFoundError
from rag_core.evaluation.golden.edits import (
    add_golden_query,
    delete_golden_query,
    list_golden_queries,
    update_golden_query,
)
from rag_core.evaluation.golden.exporting import export_document
from rag_core.evaluation.golden.importing import import_golden
from rag_core.model.golden import GoldenQuery, Relevance, normalise_query
from rag_core.model.note import TenantId
from rag_core.storage.database import Database
from rag_core.storage.golden import fetch_golden_set
from rag_core.storage.notes import delete_notes

SPANISH = st.text(
    alphabet=st.sampled_from("abcdeijlmnñorstuvzáéíóúüÁÉÑ¿?¡!,.«»— \n\t0123456789e\u0301n\u0303🍅\\\"'|%"),
    min_size=1,
    max_size=60,
).filter(lambda text: text.strip() != "")
CATEGORIES = ["factual", "causal", "temporal", "comparative", "multi-part"]
COMPLETE = {
    "query": "¿Quién cultiva tomates?",
    "expected_answer": "El señor Ferrer",
    "category": "factual",
    "difficulty": 2,
}
shared_database = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def as_lines(*items: object) -> list[bytes]:
    return [item if isinstance(item, bytes) else json.dumps(item, ensure_ascii=False).encode() for item in items]


def version(database: Database, tenant: TenantId, set_name: str = "default") -> int:
    with database.transaction(tenant) as connection:
        golden = fetch_golden_set(connection, tenant, set_name)
    assert golden is not None
    return golden.version


def remove_notes(database: Database, tenant: TenantId, *notes: UUID) -> None:
    with database.transaction(tenant) as connection:
        delete_notes(connection, tenant, notes)


class TestImport:
    def test_a_line_with_every_field_is_stored_whole(self, database, tenant, make_note) -> None:
        first, second = make_note("Tomates en la azotea."), make_note("El señor Ferrer riega.")
        line = {
            "id": "g1",
            "query": "¿Quién cultiva tomates?",
            "relevant_ids": ["n1", "n2"],
            "answer": "El señor Ferrer",
            "category": "multi-part",
            "difficulty": 4,
            "tags": ["huerto", "vecinos"],
            "created_at": "2024-05-01T10:00:00+02:00",
            "updated_at": "2024-06-01T10:00:00.123456+02:00",
        }

        report = import_golden(database, tenant, as_lines(line))

        (stored,) = list_golden_queries(database, tenant)
        assert (report.imported, report.rejected) == (1, [])
        assert stored == GoldenQuery(
            id=stored.id,
            external_id="g1",
            query="¿Quién cultiva tomates?",
            relevance=tuple(Relevance(note_id=note) for note in sorted([first, second])),
            expected_answer="El señor Ferrer",
            category="multi-part",
            difficulty=4,
            tags=("huerto", "vecinos"),
            created_at=datetime(2024, 5, 1, 8, tzinfo=UTC),
            updated_at=datetime(2024, 6, 1, 8, 0, 0, 123456, tzinfo=UTC),
        )

    def test_a_line_of_query_and_notes_alone_is_a_retrieval_only_query(self, database, tenant, make_note) -> None:
        make_note("Tomates en la azotea.")

        import_golden(database, tenant, as_lines({"query": "¿Y los tomates?", "relevant_ids": ["n1"]}))

        (stored,) = list_golden_queries(database, tenant)
        assert (stored.category, stored.difficulty, stored.expected_answer, stored.tags) == (
            "factual",
            3,
            "",
            (),
        )
        assert stored.is_retrieval_only

    def test_good_lines_go_in_and_bad_ones_are_named_with_their_reason(self, database, tenant, make_note) -> None:
        make_note("Tomates en la azotea.")
        make_note("Diario.", external_id="2024-01-01", source="diario")
        make_note("Agenda.", external_id="2024-01-01", source="agenda")
        good = {"query": "uno", "relevant_ids": ["n1"]}
        lines = as_lines(
            good,
            b"{not json",
            {"query": "dos", "relevant_ids": ["no-existe"]},
            {"query": "tres", "relevant_ids": ["2024-01-01"]},
            {"query": "cuatro", "relevant_ids": []},
            {"query": "  UNO\u00a0", "relevant_ids": ["n1"]},
            {"query": "cinco", "relevant_ids": ["n1"], "category": "procedural"},
            {"query": "seis", "relevant_ids": ["n1"], "difficulty": 6},
            {"query": "siete", "relevant_ids": ["n1"], "dificulty": 2},
            b'{"query": "ma\xf1ana", "relevant_ids": ["n1"]}',
            {"query": " \n", "relevant_ids": ["n1"]},
            b"",
            {"query": "ocho", "relevant_ids": ["n1"]},
        )

        report = import_golden(database, tenant, lines)

        reasons = dict(report.rejected)
        assert report.imported == 2
        assert report.rejected_count == 10
        assert list(reasons) == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
        assert "not valid JSON" in reasons[2]
        assert "no note is called 'no-existe'" in reasons[3]
        assert "agenda:2024-01-01, diario:2024-01-01" in reasons[4]
        assert "relevant_ids is empty" in reasons[5]
        assert "stands in line 1 already" in reasons[6]
        assert "expected one of factual, causal, temporal, comparative, multi-part" in reasons[7]
        assert "expected an integer from 1 to 5" in reasons[8]
        assert "unknown field 'dificulty'" in reasons[9]
        assert "not UTF-8" in reasons[10]
        assert "query is empty" in reasons[11]
        assert {query.query for query in list_golden_queries(database, tenant)} == {"uno", "ocho"}

    @pytest.mark.parametrize(
        "broken",
        [
            {"query": None},
            {"query": 7},
            {"query": "a\0b"},
            {"query": "x" * 10_001},
            {"relevant_ids": None},
            {"relevant_ids": "n1"},
            {"relevant_ids": [None]},
            {"relevant_ids": [""]},
            {"answer": 7},
            {"category": ["factual"]},
            {"difficulty": 2.5},
            {"difficulty": True},
            {"difficulty": "2"},
            {"tags": "huerto"},
            {"tags": [""]},
            {"id": ["g1"]},
            {"created_at": "ayer"},
            {"updated_at": 7},
        ],
    )
    def test_a_field_that_cannot_be_taken_is_named(self, database, tenant, make_note, broken) -> None:
        make_note("Tomates en la azotea.")

        report = import_golden(database, tenant, as_lines({"query": "uno", "relevant_ids": ["n1"], **broken}))

        ((_, reason),) = report.rejected
        (field,) = broken
        assert report.imported == 0
        assert field.removesuffix("s") in reason

    def test_a_number_of_five_thousand_digits_is_a_bad_line_and_no_crash(self, database, tenant, make_note) -> None:
        make_note("Tomates en la azotea.")
        line = b'{"query": "uno", "relevant_ids": ["n1"], "difficulty": ' + b"1" * 5000 + b"}"

        report = import_golden(database, tenant, [line])

        assert [number for number, _ in report.rejected] == [1]

    def test_a_query_whose_first_line_was_rejected_is_taken_from_a_later_one(self, database, tenant, make_note) -> None:
        make_note("Tomates en la azotea.")
        lines = as_lines({"query": "uno", "relevant_ids": ["no-existe"]}, {"query": "uno", "relevant_ids": ["n1"]})

        report = import_golden(database, tenant, lines)

        assert report.imported == 1
        assert [number for number, _ in report.rejected] == [1]

    def test_a_query_written_otherwise_is_the_same_and_keeps_what_the_line_leaves_out(
        self, database, tenant, make_note
    ) -> None:
        make_note("Tomates en la azotea.")
        second = make_note("El señor Ferrer riega.")
        full = {
            "query": "¿Quién riega el jardín?",
            "relevant_ids": ["n1"],
            "answer": "Ferrer",
            "category": "causal",
            "difficulty": 5,
            "tags": ["huerto"],
        }
        import_golden(database, tenant, as_lines(full))
        (before,) = list_golden_queries(database, tenant)
        again = unicodedata.normalize("NFD", "¿quién  RIEGA\nel Jardín?")

        report = import_golden(database, tenant, as_lines({"query": again, "relevant_ids": ["n2"]}))

        (after,) = list_golden_queries(database, tenant)
        assert (report.imported, report.changed, report.updated) == (1, 1, 1)
        assert (after.id, after.created_at) == (before.id, before.created_at)
        assert after.updated_at > before.updated_at
        assert after.query == unicodedata.normalize("NFC", again)
        assert (after.relevant_note_ids, after.expected_answer, after.category) == ((second,), "Ferrer", "causal")
        assert (after.difficulty, after.tags) == (5, ("huerto",))

    def test_null_and_empty_lists_clear_a_field_of_a_query_that_is_there(self, database, tenant, make_note) -> None:
        make_note("El señor Ferrer riega.")
        line = {"query": "¿Quién riega?", "relevant_ids": ["n1"]}
        full = {"answer": "Ferrer", "difficulty": 5, "tags": ["huerto"], "key_facts": ["Ferrer"], "created_by": "Ana"}
        import_golden(database, tenant, as_lines(line | full))

        clear = {"answer": None, "difficulty": None, "tags": [], "key_facts": None, "createdBy": None}
        import_golden(database, tenant, as_lines(line | clear))

        (after,) = list_golden_queries(database, tenant)
        assert (after.expected_answer, after.difficulty, after.tags) == ("", 3, ())
        assert (after.key_facts, after.created_by) == ((), None)

    def test_the_version_grows_by_one_with_an_import_that_changes_something_only(
        self, database, tenant, make_note
    ) -> None:
        make_note("Tomates en la azotea.")
        lines = as_lines({"query": "uno", "relevant_ids": ["n1"]}, {"query": "dos", "relevant_ids": ["n1"]})

        versions = []
        for answer in ("a", "a", "b"):
            changed = as_lines({"query": "uno", "relevant_ids": ["n1"], "answer": answer})
            import_golden(database, tenant, [*lines[1:], *changed])
            versions.append(version(database, tenant))

        assert versions == [1, 1, 2]

    def test_an_import_without_a_good_line_makes_no_set(self, database, tenant) -> None:
        report = import_golden(database, tenant, [b"{"], set_name="vacío")

        assert (report.imported, len(report.rejected)) == (0, 1)
        with pytest.raises(NotFoundError, match="no golden set is called 'vacío'"):
            list_golden_queries(database, tenant, set_name="vacío")

    def test_an_import_that_breaks_off_leaves_nothing(self, database, tenant, make_note) -> None:
        make_note("Tomates en la azotea.")

        def broken_file():
            for number in range(600):
                yield json.dumps({"query": f"consulta {number}", "relevant_ids": ["n1"]}).encode()
            raise OSError("the disk is gone")

        with pytest.raises(OSError, match="the disk is gone"):
            import_golden(database, tenant, broken_file())

        assert list_golden_queries(database, tenant) == []

    def test_more_lines_than_a_batch_are_taken_once_each(self, database, tenant, make_note) -> None:
        make_note("Tomates en la azotea.")
        lines = as_lines(*({"query": f"consulta {number % 1201}", "relevant_ids": ["n1"]} for number in range(1250)))

        report = import_golden(database, tenant, lines)

        assert (report.imported, report.rejected_count) == (1201, 49)
        assert report.rejected[0] == (1202, "the query stands in line 1 already; a set has each query once")
        assert len(list_golden_queries(database, tenant)) == 1201

    def test_queries_too_long_for_an_index_entry_are_told_apart(self, database, tenant, make_note) -> None:
        make_note("Tomates en la azotea.")
        long = " ".join(f"palabra{number * 7919 % 9973}" for number in range(700))

        report = import_golden(
            database,
            tenant,
            as_lines(
                {"query": long, "relevant_ids": ["n1"]},
                {"query": f"{long} más", "relevant_ids": ["n1"]},
                {"query": long.upper(), "relevant_ids": ["n1"]},
            ),
        )

        assert report.imported == 2
        assert [number for number, _ in report.rejected] == [3]

    def test_notes_may_be_named_by_source_and_id_or_by_uuid(self, database, tenant, make_note) -> None:
        diary = make_note("Diario.", external_id="2024-01-01", source="diario")
        agenda = make_note("Agenda.", external_id="2024-01-01", source="agenda")

        import_golden(
            database,
            tenant,
            as_lines({"query": "uno", "relevant_ids": ["diario:2024-01-01", str(agenda), str(diary)]}),
        )

        (stored,) = list_golden_queries(database, tenant)
        assert stored.relevant_note_ids == tuple(sorted([diary, agenda]))

    def test_two_imports_at_once_into_one_set_follow_each_other(self, database, tenant, make_note) -> None:
        make_note("Tomates en la azotea.")
        lines = as_lines(*({"query": f"consulta {number}", "relevant_ids": ["n1"]} for number in range(300)))
        reports = []
        threads = [
            threading.Thread(target=lambda: reports.append(import_golden(database, tenant, lines))) for _ in range(3)
        ]

        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert sorted(report.changed for report in reports) == [0, 0, 300]
        assert version(database, tenant) == 1

    def test_another_tenant_has_sets_of_its_own(self, database, tenant, make_note) -> None:
        make_note("Tomates en la azotea.")
        stranger = TenantId("otra")
        lines = as_lines({"query": "uno", "relevant_ids": ["n1"]})
        import_golden(database, tenant, lines)

        report = import_golden(database, stranger, lines)

        assert [number for number, _ in report.rejected] == [1]
        assert list_golden_queries(database, stranger) == []


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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("¿Qué  pasó?", "¿qué pasó?"),
        ("man\u0303ana", "ma\u00f1ana"),
        ("STRASSE", "straße"),
        ("\u00a0uno\n\tdos ", "uno dos"),
    ],
)
def test_queries_that_differ_in_case_accent_form_or_space_are_the_same(one: str, other: str) -> None:
    assert normalise_query(one) == normalise_query(other)


def test_an_accent_makes_a_query_another_one() -> None:
    assert normalise_query("¿cuando?") != normalise_query("¿cuándo?")
