"""Legacy tables and files taken over as whole notes."""

import uuid
from collections.abc import Iterable
from typing import Any

import pytest
from attached_rows import ask, counts, execute, take, unit
from builders import make_new_note

from rag_core.errors import InvalidInputError
from rag_core.indexing.one_note import store_and_index
from rag_core.migration.attach import LegacyNote
from rag_core.model.embedding import input_hash
from rag_core.model.note import note_id_for
from rag_core.storage.checks import run_check
from rag_core.storage.notes import delete_notes


def row(number: int | str, text: str = "Una nota de antes.", **more: Any) -> LegacyNote:
    return LegacyNote(place=f"(line {number})", id=str(number), text=text, **more)


class TestRows:
    def test_a_row_is_one_whole_note_found_at_once_with_its_line_in_the_ledger(self, engine, tenant) -> None:
        report = take(engine, tenant, [row("a", "Compré tomates.", created_at="2020-02-03", updated_at="2021-01-01")])

        assert counts(report) == (1, 0, 0, 0)
        assert ask(engine, tenant, "select chunking_method, content from chunks") == [("whole_note", "Compré tomates.")]
        assert ask(engine, tenant, "select legacy_state, chunked_at, batch_key from notes") == [("pending", None, None)]
        assert ask(
            engine,
            tenant,
            "select l.content_hash = n.content_hash, l.created_at = n.created_at, l.updated_at = n.updated_at, "
            "n.created_at::date::text, n.updated_at at time zone 'Europe/Madrid' = '2021-01-01' "
            "from legacy_notes l join notes n using (tenant_id, note_id)",
        ) == [(True, True, True, "2020-02-02", True)]
        assert ask(engine, tenant, "select state from migrations") == [("running",)]

    def test_an_id_that_is_a_uuid_stays_the_notes(self, engine, tenant) -> None:
        name = str(uuid.uuid4())

        take(engine, tenant, [row(name), row("17")])

        assert dict(ask(engine, tenant, "select external_id, note_id from notes")) == {
            name: uuid.UUID(name),
            "17": note_id_for(tenant, "legacy", "17"),
        }

    def test_attaching_again_changes_nothing(self, engine, tenant) -> None:
        rows = [row("a", created_at="2020-01-01"), row("b"), row("c", metadata={"n": 1.50}, tags=["x"])]
        take(engine, tenant, rows)
        before = ask(engine, tenant, "select xmin::text from notes order by note_id")

        report = take(engine, tenant, rows)

        assert counts(report) == (0, 0, 3, 0)
        assert ask(engine, tenant, "select xmin::text from notes order by note_id") == before

    @pytest.mark.parametrize(
        "change",
        [
            {"text": "Otro texto."},
            {"title": "Otro"},
            {"created_at": "2022-01-01"},
            {"metadata": {"a": 2}},
            {"tags": ["z"]},
        ],
    )
    def test_a_note_that_only_its_table_changed_follows_it(self, engine, tenant, change) -> None:
        first = {"text": "Un texto.", "title": "T", "created_at": "2020-01-01", "metadata": {"a": 1}}
        take(engine, tenant, [row("a", **first)])

        report = take(engine, tenant, [row("a", **{**first, **change})])

        assert counts(report) == (0, 1, 0, 0)
        assert counts(take(engine, tenant, [row("a", **{**first, **change})])) == (0, 0, 1, 0)
        assert ask(
            engine,
            tenant,
            "select n.content = c.content, l.updated_at = n.updated_at from notes n "
            "join chunks c using (tenant_id, note_id) join legacy_notes l using (tenant_id, note_id)",
        ) == [(True, True)]

    def test_a_note_edited_here_is_left_alone(self, engine, tenant) -> None:
        take(engine, tenant, [row("a", "Como era.")])
        edited = make_new_note("Como es ahora.", "a", source="legacy")
        store_and_index(engine.database, tenant, edited, engine.pipeline, expected="known")

        report = take(engine, tenant, [row("a", "Como era, con otra coma.")])

        assert counts(report) == (0, 0, 0, 0)
        assert (report.kept_here, report.kept_here_count, report.taken) == (["a"], 1, 1)
        assert ask(engine, tenant, "select content from notes") == [("Como es ahora.",)]

    def test_a_note_edited_here_whose_row_is_as_it_was_is_unchanged(self, engine, tenant, make_note) -> None:
        take(engine, tenant, [row("a", "Como era.")])
        make_note("Como es ahora.", external_id="a", source="legacy")

        report = take(engine, tenant, [row("a", "Como era.")])

        assert (report.unchanged, report.kept_here) == (1, [])

    def test_a_text_that_was_damaged_is_made_good_by_attaching_again(self, engine, tenant) -> None:
        take(engine, tenant, [row("a", "Como era.")])
        execute(engine, "update brain.notes set content = 'Cmo er.'")

        report = take(engine, tenant, [row("a", "Como era.")])

        assert counts(report) == (0, 1, 0, 0)
        assert ask(engine, tenant, "select n.content, c.content from notes n join chunks c using (note_id)") == [
            ("Como era.", "Como era.")
        ]
        assert run_check(engine.database, tenant, "check_legacy_texts").violations == 0

    def test_a_note_deleted_here_comes_back_when_its_row_is_attached_again(self, engine, tenant) -> None:
        take(engine, tenant, [row("a")])
        with engine.database.transaction(tenant) as connection:
            delete_notes(connection, tenant, [note_id_for(tenant, "legacy", "a")])

        assert counts(take(engine, tenant, [row("a")])) == (1, 0, 0, 0)
        assert ask(engine, tenant, "select count(*) from legacy_notes") == [(1,)]

    def test_bad_rows_are_remembered_by_id_and_reason_and_the_good_ones_taken(self, engine, tenant) -> None:
        rows = [
            row("a"),
            row("vacía", "   "),
            row("nulo", "con \0 dentro"),
            row("larga", "x" * 10_001),
            row("fecha", created_at="ayer"),
            row("otra fecha", updated_at="infinity"),
            row("etiquetas", tags=[1]),
            row("metadatos", metadata=[1]),
            row("x" * 600),
            LegacyNote(place="(line 10)", text="sin id"),
            LegacyNote(place="(line 11)", problem="not valid JSON"),
            row("b"),
        ]

        report = take(engine, tenant, rows)

        assert counts(report) == (2, 0, 0, 10)
        failures = dict(ask(engine, tenant, "select external_id, reason from migration_failures"))
        assert failures == {refusal.id: refusal.error for refusal in report.rejected}
        assert set(failures) == {
            *("vacía", "nulo", "larga", "fecha", "otra fecha", "etiquetas", "metadatos"),
            *("x" * 200 + "…", "(line 10)", "(line 11)"),
        }
        assert failures["otra fecha"].startswith("updated_at is 'infinity'")
        assert ask(engine, tenant, "select distinct stage, attempts from migration_failures") == [("attachment", 1)]

    def test_a_row_that_is_good_now_is_taken_and_forgotten_as_a_failure(self, engine, tenant) -> None:
        take(engine, tenant, [row("a", ""), LegacyNote(place="(line 2)", problem="not valid JSON")])
        take(engine, tenant, [row("a", ""), LegacyNote(place="(line 2)", problem="not valid JSON")])
        assert ask(engine, tenant, "select attempts from migration_failures") == [(2,), (2,)]

        report = take(engine, tenant, [row("a"), LegacyNote(place="(line 2)", id="b", text="Mejor.")])

        assert counts(report) == (2, 0, 0, 0)
        assert ask(engine, tenant, "select count(*) from migration_failures") == [(0,)]

    def test_a_bad_row_that_is_gone_is_forgotten_but_not_one_of_another_table(self, engine, tenant) -> None:
        take(engine, tenant, [row("a", ""), row("b")], origin="una.jsonl")
        take(engine, tenant, [row("c", "")], origin="otra.jsonl")

        take(engine, tenant, [row("b")], origin="una.jsonl")

        assert ask(engine, tenant, "select external_id from migration_failures") == [("c",)]

    def test_of_rows_with_one_id_the_first_is_taken_and_the_others_are_named_by_their_place(
        self, engine, tenant
    ) -> None:
        name = str(uuid.uuid4())
        rows = [row("a", "uno"), LegacyNote(place="(line 2)", id="a", text="dos"), row(name), row(name.upper())]

        report = take(engine, tenant, rows)

        assert counts(report) == (2, 0, 0, 2)
        assert [refusal.id for refusal in report.rejected] == ["(line 2)", f"(line {name.upper()})"]
        assert ask(engine, tenant, "select content from notes where external_id = 'a'") == [("uno",)]

    def test_a_uuid_that_another_note_has_is_refused(self, engine, tenant) -> None:
        name = str(uuid.uuid4())
        take(engine, tenant, [row(name)], source="una")

        report = take(engine, tenant, [row(name), row("b")], source="otra")

        assert counts(report) == (1, 0, 0, 1)
        assert f"una:{name}" in report.rejected[0].error

    def test_a_note_that_did_not_come_by_attaching_is_not_overwritten(self, engine, tenant, make_note) -> None:
        make_note("Importada.", external_id="a", source="legacy")

        report = take(engine, tenant, [row("a", "De la tabla.")])

        assert counts(report) == (0, 0, 0, 1)
        assert "--source" in report.rejected[0].error
        assert ask(engine, tenant, "select content, legacy_state from notes") == [("Importada.", None)]

    def test_a_row_that_postgresql_refuses_costs_no_other(self, engine, tenant) -> None:
        execute(engine, "alter table brain.notes add constraint planted check (external_id <> 'b')")

        report = take(engine, tenant, [row("a"), row("b"), row("c")])

        assert counts(report) == (2, 0, 0, 1)
        assert "planted" in ask(engine, tenant, "select reason from migration_failures")[0][0]

    def test_tags_join_those_of_the_metadata(self, engine, tenant) -> None:
        take(
            engine,
            tenant,
            [row("a", tags=["casa", "pan"], metadata={"tags": ["pan", "mar"], "n": 1}), row("b", tags="x, y")],
        )

        found = ask(engine, tenant, "select external_id, tags, metadata from notes order by 1")

        assert found[0] == ("a", ["pan", "mar", "casa"], {"tags": ["pan", "mar", "casa"], "n": 1})
        assert found[1][1] == ["x", "y"]

    def test_more_rows_reopen_a_finished_migration_and_leave_a_stopped_one_stopped(self, engine, tenant) -> None:
        take(engine, tenant, [row("a")])
        execute(engine, "update brain.migrations set state = 'finished', finished_at = now()")
        take(engine, tenant, [row("b")])
        assert ask(engine, tenant, "select state, finished_at from migrations") == [("running", None)]

        execute(engine, "update brain.migrations set state = 'stopped'")
        take(engine, tenant, [row("c")])
        assert ask(engine, tenant, "select state from migrations") == [("stopped",)]

    def test_whole_pages_are_kept_when_it_ends_early_and_a_second_time_goes_on(self, engine, tenant) -> None:
        def broken() -> Iterable[LegacyNote]:
            yield from (row(number) for number in range(1500))
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            take(engine, tenant, broken())
        assert ask(engine, tenant, "select count(*) from notes") == [(1000,)]

        assert counts(take(engine, tenant, [row(number) for number in range(1500)])) == (500, 0, 1000, 0)


class TestVectors:
    def test_a_rows_own_vector_is_both_vectors_of_the_whole_note(self, engine, tenant) -> None:
        vector = [2 * number for number in unit(engine, "Vino Lucía.")]

        report = take(engine, tenant, [row("a", "Vino Lucía.", embedding=vector), row("b", "Sin vector.")])

        assert (report.attached, report.with_vector) == (2, 1)
        found = ask(
            engine,
            tenant,
            "select kind, model_id, input_hash, round(vector_norm(vector)::numeric, 5)::float from embeddings order by kind",
        )
        digest = input_hash(engine.model, "Vino Lucía.", role="document")
        assert found == [("contextual", engine.model.id, digest, 1.0), ("standard", engine.model.id, digest, 1.0)]

    def test_vectors_can_be_brought_later(self, engine, tenant) -> None:
        take(engine, tenant, [row("a", "Vino Lucía.")])

        report = take(engine, tenant, [row("a", "Vino Lucía.", embedding=unit(engine, "Vino Lucía."))])

        assert (report.unchanged, report.with_vector) == (1, 1)

    def test_vectors_of_another_length_are_an_error_with_its_remedy(self, engine, tenant) -> None:
        with pytest.raises(InvalidInputError, match=r"has 3 numbers.*768.*--without-vectors"):
            take(engine, tenant, [row("a", embedding=[1, 2, 3])])

        assert ask(engine, tenant, "select count(*) from notes") == [(0,)]

    @pytest.mark.parametrize(
        "bad", [[0.0] * 768, [float("nan")] * 768, [True] * 768, [10**400] * 768, [[1.0]] * 768, "texto", [1.0, 2.0]]
    )
    def test_a_vector_that_cannot_be_used_is_told_and_its_note_taken(self, engine, tenant, bad) -> None:
        report = take(engine, tenant, [row("a", embedding=unit(engine, "hola")), row("b", embedding=bad)])

        assert (report.attached, report.with_vector, report.unusable_vector_count) == (2, 1, 1)
        assert report.unusable_vectors[0].id == "b"

    def test_an_empty_vector_says_nothing_of_the_model_even_in_the_first_row(self, engine, tenant) -> None:
        report = take(engine, tenant, [row("a", embedding=[]), row("b", embedding=unit(engine, "hola"))])

        assert (report.attached, report.with_vector, report.unusable_vector_count) == (2, 1, 1)
        assert report.unusable_vectors[0].id == "a"

    def test_a_note_edited_here_is_not_given_the_vector_of_another_text(self, engine, tenant, make_note) -> None:
        take(engine, tenant, [row("a", "Vino Lucía.")])
        make_note("Vino Rosa.", external_id="a", source="legacy")

        report = take(engine, tenant, [row("a", "Vino Lucía.", embedding=unit(engine, "Vino Lucía."))])

        assert (report.unchanged, report.with_vector) == (1, 0)
        assert ask(engine, tenant, "select content from chunks") == [("Vino Rosa.",)]

    def test_a_changed_row_loses_the_old_vector(self, engine, tenant) -> None:
        take(engine, tenant, [row("a", "Vino Lucía.", embedding=unit(engine, "Vino Lucía."))])

        take(engine, tenant, [row("a", "Vino Rosa.")])

        assert ask(engine, tenant, "select count(*) from embeddings") == [(0,)]
