"""Graded relevance, spans, chunks, vocabularies and verification of golden queries, on a real database."""

from uuid import uuid4

import pytest
from golden_sets import as_lines, version
from relevant_passages import FERRER
from relevant_passages import asked as asked  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.errors import InvalidGoldenError, NotFoundError
from rag_core.evaluation.golden import relevance as golden_relevance
from rag_core.evaluation.golden.chunks import fetch_relevant_chunks
from rag_core.evaluation.golden.edits import (
    delete_golden_query,
    list_golden_queries,
    update_golden_query,
)
from rag_core.evaluation.golden.exporting import export_document
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.golden.query import GivenRelevance, GivenSpan
from rag_core.evaluation.golden.relevance import contents_of_each
from rag_core.evaluation.golden.statistics import fetch_set_contents
from rag_core.model.golden import GoldenSpan, Relevance
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.notes import delete_notes

SPAN = GoldenSpan(start=3, end=15, quote="señor Ferrer")


class TestSpans:
    def test_a_quote_is_kept_with_its_place_and_grade(self, database, tenant, asked) -> None:
        (stored,) = list_golden_queries(database, tenant)

        assert stored == asked
        assert stored.relevance == (Relevance(note_id=stored.relevant_note_ids[0], grade=3, spans=(SPAN,)),)
        assert stored.key_facts == ("Ferrer",)
        assert stored.forbidden_content == ("la vecina",)
        assert stored.created_by == "model:llama3.2"
        assert stored.verified_by is None

    def test_lines_without_a_place_for_their_quote_are_rejected_and_the_others_taken(
        self, database, tenant, make_note
    ) -> None:
        make_note(FERRER)
        spans = [{"quote": "Ferrer"}, {"quote": "riega"}, {"quote": "la vecina"}, {"start": 0, "end": 900}]
        lines = as_lines(
            *({"query": str(span), "relevance": [{"id": "n1", "spans": [span]}]} for span in spans),
        )

        report = import_golden(database, tenant, lines)

        reasons = dict(report.rejected)
        assert report.imported == 1
        assert list(reasons) == [2, 3, 4]
        assert "several times" in reasons[2]
        assert "does not stand in note" in reasons[3]
        assert "does not fit note" in reasons[4]

    def test_spans_of_one_note_named_twice_are_joined_under_its_highest_grade(
        self, database, tenant, make_note
    ) -> None:
        make_note(FERRER)
        relevance = [
            {"id": "notas:n1", "grade": 2, "spans": [{"quote": "al alba"}]},
            {"id": "n1", "grade": 1, "spans": [{"quote": "señor Ferrer"}]},
        ]

        import_golden(database, tenant, as_lines({"query": "uno", "relevant_ids": ["n1"], "relevance": relevance}))

        ((found,),) = [query.relevance for query in list_golden_queries(database, tenant)]
        assert found.grade == 2
        assert [span.quote for span in found.spans] == ["señor Ferrer", "al alba"]

    def test_an_edited_note_loses_no_query_and_an_export_comes_in_again_unchanged(
        self, database, tenant, asked, make_note
    ) -> None:
        make_note("Ahora riega la vecina.", external_id="n1")
        before = version(database, tenant)

        report = import_golden(database, tenant, as_lines(*export_document(database, tenant)["queries"]))

        assert report.imported == 1
        assert report.changed == 0
        assert version(database, tenant) == before
        assert list_golden_queries(database, tenant) == [asked]
        assert fetch_set_contents(database, tenant).statistics().lost_spans == 1

    def test_a_span_that_moved_is_taken_elsewhere_where_it_stands_now(self, database, tenant, asked, make_note) -> None:
        lines = as_lines(*export_document(database, tenant)["queries"])
        there = TenantId("otra")
        make_note(f"Martes. {FERRER}", external_id="n1", owner=there)

        import_golden(database, there, lines)

        (arrived,) = list_golden_queries(database, there)
        assert arrived.relevance[0].spans == (GoldenSpan(start=11, end=23, quote="señor Ferrer"),)

    def test_a_deleted_note_takes_its_grade_and_spans_along(self, database, tenant, asked) -> None:
        with database.transaction(tenant) as connection:
            delete_notes(connection, tenant, asked.relevant_note_ids)

        (stored,) = list_golden_queries(database, tenant)
        assert stored.relevance == ()

    def test_spans_are_replaced_one_by_one_and_go_with_their_query(self, database, tenant, asked) -> None:
        (note,) = asked.relevant_note_ids
        spans = (GivenSpan(start=3, end=15, quote="señor Ferrer"), GivenSpan(quote="al alba"))

        changed = update_golden_query(
            database, tenant, asked.id, relevance=[GivenRelevance(note=note, grade=2, spans=spans)]
        )
        (stored,) = list_golden_queries(database, tenant)
        only = update_golden_query(database, tenant, asked.id, relevance=[GivenRelevance(note=note, spans=spans[1:])])
        delete_golden_query(database, tenant, asked.id)

        assert stored == changed
        assert [span.quote for span in stored.relevance[0].spans] == ["señor Ferrer", "al alba"]
        assert [(one.grade, [span.quote for span in one.spans]) for one in only.relevance] == [(2, ["al alba"])]
        with database.owner() as connection:
            assert connection.execute("select count(*) from brain.golden_spans").fetchone() == (0,)

    def test_notes_given_by_id_alone_keep_their_grade_and_spans(self, database, tenant, asked, make_note) -> None:
        other = make_note("La vecina mira.")

        changed = update_golden_query(
            database, tenant, asked.id, relevant_note_ids=[*asked.relevant_note_ids, other], difficulty=4
        )

        kept = {one.note_id: (one.grade, one.spans) for one in changed.relevance}
        assert kept == {asked.relevant_note_ids[0]: (3, (SPAN,)), other: (1, ())}

    def test_a_line_that_only_names_the_notes_keeps_their_grade_and_spans(self, database, tenant, asked) -> None:
        report = import_golden(database, tenant, as_lines({"query": asked.query, "relevant_ids": ["n1"]}))

        (stored,) = list_golden_queries(database, tenant)
        assert report.imported == 1
        assert report.changed == 0
        assert stored == asked

    def test_what_a_line_says_of_a_note_replaces_its_spans_though_it_is_named_too(
        self, database, tenant, asked
    ) -> None:
        relevance = [{"id": "notas:n1", "spans": [{"quote": "al alba"}]}]

        import_golden(
            database, tenant, as_lines({"query": asked.query, "relevant_ids": ["n1"], "relevance": relevance})
        )

        ((found,),) = [query.relevance for query in list_golden_queries(database, tenant)]
        assert found.grade == 3
        assert [span.quote for span in found.spans] == ["al alba"]

    def test_an_unknown_note_is_named(self, database, tenant, asked) -> None:
        stranger = GivenRelevance(note=NoteId(uuid4()))

        with pytest.raises(NotFoundError, match="no note"):
            update_golden_query(database, tenant, asked.id, relevance=[stranger])
        with pytest.raises(InvalidGoldenError, match="no note is called 'n9'"):
            update_golden_query(database, tenant, asked.id, relevance=[GivenRelevance(note="n9")])


class TestReadingNotes:
    @pytest.fixture
    def reads(self, monkeypatch: pytest.MonkeyPatch) -> list[set[NoteId]]:
        """The notes of each read, as they are made."""
        made: list[set[NoteId]] = []
        read = golden_relevance.fetch_note_contents

        def noted(connection, tenant, notes):
            made.append(set(notes))
            return read(connection, tenant, notes)

        monkeypatch.setattr(golden_relevance, "fetch_note_contents", noted)
        return made

    def test_an_import_reads_the_notes_of_many_lines_at_once_and_each_once(
        self, database, tenant, make_note, reads
    ) -> None:
        notes = {make_note(f"Número {number}.", external_id=str(number)) for number in range(10)}
        make_note("Sin respuesta.", external_id="sin")
        lines = as_lines(
            *(
                {"query": f"¿{line}?", "relevance": [{"id": str(line % 10), "spans": [{"quote": f"{line % 10}"}]}]}
                for line in range(40)
            ),
            {"query": "¿Y sin lugar?", "relevant_ids": ["sin"]},
            {"query": "¿Nadie?", "relevance": [{"id": "nadie", "spans": [{"quote": "nadie"}]}]},
        )

        report = import_golden(database, tenant, lines)

        assert report.imported == 41
        assert [number for number, _ in report.rejected] == [42]
        assert reads == [notes]
        stored = list_golden_queries(database, tenant)
        assert [span.start for query in stored for one in query.relevance for span in one.spans] == [7] * 40

    def test_no_more_than_so_many_octets_are_held_unless_one_query_has_more(
        self, database, tenant, make_note, reads
    ) -> None:
        # "ñ" is two octets
        first, second, third, great = (make_note(text * 50, external_id=text) for text in ("ñ", "oo", "pp", "ñandúes"))
        wanted = [{first}, {second}, {first}, {third}, {great, first}, set(), {third}]

        with database.transaction(tenant) as connection:
            found = [dict(texts) for texts in contents_of_each(connection, tenant, wanted, max_octets=200)]

        assert reads == [{first, second}, {third}, {great, first}, {third}]
        assert [texts.keys() >= notes for texts, notes in zip(found, wanted, strict=True)] == [True] * 7
        assert found[0][first] == "ñ" * 50

    def test_nothing_is_read_for_nothing(self, database, tenant, reads) -> None:
        with database.transaction(tenant) as connection:
            assert list(contents_of_each(connection, tenant, [])) == []

        assert reads == []


class TestChunks:
    def test_a_chunk_is_kept_as_its_place_and_outlives_another_chunking(
        self, database, tenant, make_note, index_notes
    ) -> None:
        note = make_note(FERRER)
        index_notes()
        with database.transaction(tenant) as connection:
            ((chunk, start, end),) = connection.execute(
                "select chunk_id, start_char, end_char from brain.chunks where note_id = %s", [note]
            ).fetchall()

        import_golden(database, tenant, as_lines({"query": "uno", "relevantChunkIds": [str(chunk)]}))
        (stored,) = list_golden_queries(database, tenant)
        make_note(f"Martes. {FERRER}", external_id="n1")
        index_notes()
        with database.transaction(tenant) as connection:
            ((successor,),) = connection.execute("select chunk_id from brain.chunks").fetchall()

        assert successor != chunk

        assert stored.relevance == (
            Relevance(note_id=note, spans=(GoldenSpan(start=start, end=end, quote=FERRER[start:end]),)),
        )
        with database.transaction(tenant) as connection:
            assert fetch_relevant_chunks(connection, tenant, [stored]) == {stored.id: (successor,)}
        assert import_golden(
            database, tenant, as_lines({"query": "dos", "relevantChunkIds": [str(chunk)]})
        ).rejected == [
            (1, f"no chunk {chunk}; chunks change with every indexing, so name the note and quote what answers")
        ]

    def test_a_chunk_that_covers_a_span_stands_for_the_span(self, database, tenant, asked) -> None:
        with database.transaction(tenant) as connection:
            ((chunk,),) = fetch_relevant_chunks(connection, tenant, [asked]).values()

        changed = update_golden_query(database, tenant, asked.id, relevant_chunk_ids=[chunk])

        assert changed == asked

    def test_after_the_note_was_edited_it_is_the_chunk_that_has_the_quote_now(
        self, database, tenant, asked, make_note, index_notes
    ) -> None:
        before = " ".join(f"Frase {number} sobre las nubes y el viento del norte." for number in range(120))
        make_note(f"{before} {FERRER}", external_id="n1")
        index_notes()

        found = fetch_set_contents(database, tenant)
        (chunk,) = found.chunks[asked.id]
        changed = update_golden_query(database, tenant, asked.id, relevant_chunk_ids=[chunk])

        with database.transaction(tenant) as connection:
            holding = connection.execute(
                "select chunk_id from brain.chunks where position('señor Ferrer' in content) > 0"
            ).fetchall()
        assert holding == [(chunk,)]
        assert found.statistics().avg_relevant_chunks == 1.0
        assert changed == asked

    def test_a_quote_that_is_gone_is_in_no_chunk(self, database, tenant, asked, make_note, index_notes) -> None:
        make_note("La vecina riega los tomates de la azotea.", external_id="n1")
        index_notes()

        found = fetch_set_contents(database, tenant)

        assert found.chunks == {}
        assert found.lost_spans == 1
        assert found.statistics().avg_relevant_chunks == 0.0
