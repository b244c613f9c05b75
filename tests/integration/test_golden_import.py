"""Imports of golden sets: which lines are taken, which are refused, and how two imports meet."""

import json
import threading
import unicodedata
from datetime import UTC, datetime

import pytest
from golden_sets import as_lines, version

from rag_core.errors import NotFoundError
from rag_core.evaluation.golden.edits import list_golden_queries
from rag_core.evaluation.golden.importing import import_golden
from rag_core.model.golden import GoldenQuery, Relevance
from rag_core.model.note import TenantId


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
        assert report.imported == 1
        assert report.rejected == []
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
        assert stored.category == "factual"
        assert stored.difficulty == 3
        assert stored.expected_answer == ""
        assert stored.tags == ()
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
        assert report.imported == 1
        assert report.changed == 1
        assert report.updated == 1
        assert after.id == before.id
        assert after.created_at == before.created_at
        assert after.updated_at > before.updated_at
        assert after.query == unicodedata.normalize("NFC", again)
        assert after.relevant_note_ids == (second,)
        assert after.expected_answer == "Ferrer"
        assert after.category == "causal"
        assert after.difficulty == 5
        assert after.tags == ("huerto",)

    def test_null_and_empty_lists_clear_a_field_of_a_query_that_is_there(self, database, tenant, make_note) -> None:
        make_note("El señor Ferrer riega.")
        line = {"query": "¿Quién riega?", "relevant_ids": ["n1"]}
        full = {"answer": "Ferrer", "difficulty": 5, "tags": ["huerto"], "key_facts": ["Ferrer"], "created_by": "Ana"}
        import_golden(database, tenant, as_lines(line | full))

        clear = {"answer": None, "difficulty": None, "tags": [], "key_facts": None, "createdBy": None}
        import_golden(database, tenant, as_lines(line | clear))

        (after,) = list_golden_queries(database, tenant)
        assert after.expected_answer == ""
        assert after.difficulty == 3
        assert after.tags == ()
        assert after.key_facts == ()
        assert after.created_by is None

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

        assert report.imported == 0
        assert len(report.rejected) == 1
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

        assert report.imported == 1201
        assert report.rejected_count == 49
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
