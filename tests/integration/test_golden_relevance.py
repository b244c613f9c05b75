"""Graded relevance, spans, chunks, vocabularies and verification of golden queries, on a real database."""

import json
import threading
from uuid import uuid4

import pytest

from rag_core.errors import ConflictError, InvalidGoldenError, InvalidInputError, NotFoundError
from rag_core.evaluation.golden import relevance as golden_relevance
from rag_core.evaluation.golden.chunks import fetch_relevant_chunks
from rag_core.evaluation.golden.edits import (
    add_golden_query,
    delete_golden_query,
    list_golden_queries,
    update_golden_query,
    verify_golden_query,
)
from rag_core.evaluation.golden.exporting import export_document, export_golden, import_golden
from rag_core.evaluation.golden.query import GivenRelevance, GivenSpan
from rag_core.evaluation.golden.relevance import contents_of_each
from rag_core.evaluation.golden.statistics import fetch_set_contents
from rag_core.model.golden import GoldenSpan, Relevance
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.golden import fetch_golden_set, list_golden_sets
from rag_core.storage.notes import delete_notes

FERRER = "El señor Ferrer riega los tomates de la azotea. Los riega al alba."
SPAN = GoldenSpan(start=3, end=15, quote="señor Ferrer")
COMPLETE = {"expected_answer": "El señor Ferrer", "category": "factual", "difficulty": 2}


def as_lines(*items: object) -> list[bytes]:
    return [json.dumps(item, ensure_ascii=False).encode() for item in items]


def version(database, tenant, name: str = "default") -> int:
    with database.transaction(tenant) as connection:
        golden = fetch_golden_set(connection, tenant, name)
    assert golden is not None
    return golden.version


@pytest.fixture
def asked(database, tenant, make_note):
    """A query whose answer is a span of n1, of grade 3."""
    note = make_note(FERRER)
    return add_golden_query(
        database,
        tenant,
        query="¿Quién riega?",
        relevance=[GivenRelevance(note=note, grade=3, spans=(GivenSpan(quote="señor Ferrer"),))],
        key_facts=["Ferrer"],
        forbidden_content=["la vecina"],
        created_by="model:llama3.2",
        **COMPLETE,
    )


class TestSpans:
    def test_a_quote_is_kept_with_its_place_and_grade(self, database, tenant, asked) -> None:
        (stored,) = list_golden_queries(database, tenant)

        assert stored == asked
        assert stored.relevance == (Relevance(note_id=stored.relevant_note_ids[0], grade=3, spans=(SPAN,)),)
        assert (stored.key_facts, stored.forbidden_content) == (("Ferrer",), ("la vecina",))
        assert (stored.created_by, stored.verified_by) == ("model:llama3.2", None)

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
        assert (report.imported, list(reasons)) == (1, [2, 3, 4])
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
        assert (found.grade, [span.quote for span in found.spans]) == (2, ["señor Ferrer", "al alba"])

    def test_an_edited_note_loses_no_query_and_an_export_comes_in_again_unchanged(
        self, database, tenant, asked, make_note
    ) -> None:
        make_note("Ahora riega la vecina.", external_id="n1")
        before = version(database, tenant)

        report = import_golden(database, tenant, as_lines(*export_golden(database, tenant)))

        assert (report.imported, report.changed, version(database, tenant)) == (1, 0, before)
        assert list_golden_queries(database, tenant) == [asked]
        assert fetch_set_contents(database, tenant).statistics().lost_spans == 1

    def test_a_span_that_moved_is_taken_elsewhere_where_it_stands_now(self, database, tenant, asked, make_note) -> None:
        lines = as_lines(*export_golden(database, tenant))
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
        assert (report.imported, report.changed, stored) == (1, 0, asked)

    def test_what_a_line_says_of_a_note_replaces_its_spans_though_it_is_named_too(
        self, database, tenant, asked
    ) -> None:
        relevance = [{"id": "notas:n1", "spans": [{"quote": "al alba"}]}]

        import_golden(
            database, tenant, as_lines({"query": asked.query, "relevant_ids": ["n1"], "relevance": relevance})
        )

        ((found,),) = [query.relevance for query in list_golden_queries(database, tenant)]
        assert (found.grade, [span.quote for span in found.spans]) == (3, ["al alba"])

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

        assert (report.imported, [number for number, _ in report.rejected]) == (41, [42])
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

        assert (found.chunks, found.lost_spans) == ({}, 1)
        assert found.statistics().avg_relevant_chunks == 0.0


class TestVocabulary:
    def test_a_new_set_speaks_the_vocabulary_of_its_first_good_line(self, database, tenant, make_note) -> None:
        make_note(FERRER)
        lines = as_lines(
            {"query": "cero", "relevant_ids": ["no-existe"], "category": "causal"},
            {"query": "uno", "relevant_ids": ["n1"], "category": "multi_hop", "difficulty": "hard"},
            {"query": "dos", "relevant_ids": ["n1"], "category": "factual"},
            {"query": "tres", "relevant_ids": ["n1"], "category": "causal"},
            {"query": "cuatro", "relevant_ids": ["n1"], "category": "factual", "difficulty": 2},
        )

        report = import_golden(database, tenant, lines, set_name="rv")

        stored = {
            query.query: (query.vocabulary, query.difficulty)
            for query in list_golden_queries(database, tenant, set_name="rv")
        }
        assert stored == {"uno": ("rag_v2", 5), "dos": ("rag_v2", 3)}
        reasons = dict(report.rejected)
        assert list(reasons) == [1, 4, 5]
        assert "category is 'causal'; expected one of factual, comparative, procedural" in reasons[4]
        assert "difficulty is a number; expected easy, medium or hard" in reasons[5]
        assert "into a set of their own with --set" in reasons[4]

    def test_a_set_with_queries_keeps_its_vocabulary_and_an_empty_one_takes_another(
        self, database, tenant, asked
    ) -> None:
        line = as_lines({"query": "uno", "relevant_ids": ["n1"]})

        with pytest.raises(InvalidInputError, match="has queries in the words of brain_sync"):
            import_golden(database, tenant, line, vocabulary="rag_v2")
        delete_golden_query(database, tenant, asked.id)
        import_golden(database, tenant, line, vocabulary="rag_v2")

        assert [query.vocabulary for query in list_golden_queries(database, tenant)] == ["rag_v2"]

    def test_one_query_is_added_in_the_words_of_its_set(self, database, tenant, make_note) -> None:
        note = make_note(FERRER)
        fields = {"relevant_note_ids": [note], "expected_answer": "Ferrer", "set_name": "rv"}

        first = add_golden_query(database, tenant, query="uno", category="multi_hop", difficulty="easy", **fields)
        second = add_golden_query(database, tenant, query="dos", category="factual", difficulty=5, **fields)
        with pytest.raises(InvalidInputError, match="category is 'causal'"):
            add_golden_query(database, tenant, query="tres", category="causal", difficulty=5, **fields)
        with pytest.raises(InvalidInputError, match="easy, medium and hard, which are 1, 3 and 5"):
            update_golden_query(database, tenant, second.id, difficulty=2)

        assert [(one.vocabulary, one.difficulty) for one in (first, second)] == [("rag_v2", 1), ("rag_v2", 5)]

    def test_two_imports_at_once_into_a_set_that_is_not_there_follow_each_other(
        self, database, tenant, make_note
    ) -> None:
        make_note(FERRER)
        lines = as_lines(*({"query": f"consulta {number}", "relevant_ids": ["n1"]} for number in range(200)))
        reports = []

        def run() -> None:
            reports.append(import_golden(database, tenant, lines, set_name="nuevo"))

        threads = [threading.Thread(target=run) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert [report.imported for report in reports] == [200, 200, 200]
        assert sorted(report.changed for report in reports) == [0, 0, 200]
        assert version(database, tenant, "nuevo") == 1


class TestVerification:
    def test_it_is_noted_with_its_time_and_makes_the_version_grow(self, database, tenant, asked) -> None:
        before = version(database, tenant)

        verified = verify_golden_query(database, tenant, asked.id, by="Lucía")

        assert list_golden_queries(database, tenant) == [verified]
        assert (verified.verified_by, verified.verified_at) == ("Lucía", verified.updated_at)
        assert version(database, tenant) == before + 1

    @pytest.mark.parametrize(
        ("change", "is_kept"),
        [
            ({"tags": ["huerto"], "category": "causal", "difficulty": 5}, True),
            ({"query": "¿Quién riega los tomates?"}, False),
            ({"expected_answer": "Ferrer"}, False),
            ({"key_facts": []}, False),
            ({"forbidden_content": []}, False),
            ({"expected_answer": "Ferrer", "verified_by": "Lucía"}, True),
        ],
    )
    def test_another_question_or_answer_takes_it_away(self, database, tenant, asked, change, is_kept) -> None:
        verify_golden_query(database, tenant, asked.id, by="Lucía")

        changed = update_golden_query(database, tenant, asked.id, **change)

        assert (changed.verified_by == "Lucía", changed.verified_at is not None) == (is_kept, is_kept)

    def test_a_line_that_says_the_same_keeps_it_and_another_relevance_takes_it_away(
        self, database, tenant, make_note
    ) -> None:
        make_note(FERRER)
        make_note("La vecina mira.")
        line = {"query": "uno", "relevant_ids": ["n1"]}
        import_golden(database, tenant, as_lines(line | {"verified_by": "Lucía", "verified_at": "2025-03-01"}))

        kept = import_golden(database, tenant, as_lines(line))
        (same,) = list_golden_queries(database, tenant)
        import_golden(database, tenant, as_lines(line | {"relevant_ids": ["n1", "n2"]}))
        (changed,) = list_golden_queries(database, tenant)

        assert (kept.changed, same.verified_by) == (0, "Lucía")
        assert (changed.verified_by, changed.verified_at) == (None, None)

    def test_a_nameless_or_unknown_one_is_refused(self, database, tenant, asked) -> None:
        with pytest.raises(InvalidInputError, match="verified_by is empty"):
            verify_golden_query(database, tenant, asked.id, by=" ")
        with pytest.raises(NotFoundError, match="no golden query"):
            verify_golden_query(database, TenantId("otra"), asked.id, by="Lucía")


class TestSets:
    def test_statistics_and_coverage_count_what_can_be_asked(self, database, tenant, make_note) -> None:
        make_note(FERRER)
        gone = make_note("Se borra.")
        lines = as_lines(
            {"query": "uno", "relevance": [{"id": "n1", "spans": [{"quote": "al alba"}]}], "difficulty": "easy"},
            {
                "query": "dos",
                "relevant_ids": ["n1", "n2"],
                "difficulty": "easy",
                "answer": "Sí",
                "verified_by": "Lucía",
            },
            {"query": "tres", "relevant_ids": ["n1"], "category": "multi_hop", "difficulty": "hard"},
            {
                "query": "cuatro",
                "relevant_ids": ["n2"],
                "category": "multi_hop",
                "difficulty": "hard",
                "verified_by": "Lucía",
            },
        )
        import_golden(database, tenant, lines, set_name="rv")
        with database.transaction(tenant) as connection:
            delete_notes(connection, tenant, [gone])
            (summary,) = list_golden_sets(connection, tenant)

        found = fetch_set_contents(database, tenant, set_name="rv").statistics()

        assert (found.total_queries, found.without_notes, found.verified, found.with_spans) == (4, 1, 1, 1)
        assert (found.retrieval_only, found.lost_spans) == (2, 0)
        assert found.by_category == {
            "factual": 2, "comparative": 0, "procedural": 0, "relational": 0, "aggregative": 0, "multi_hop": 1,
        }  # fmt: skip
        assert found.by_difficulty == {"easy": 2, "medium": 0, "hard": 1}
        assert (found.avg_relevant_notes, found.avg_relevant_chunks) == (1.0, pytest.approx(1 / 3))
        assert {one.category: (one.minimum, one.missing) for one in found.coverage} == {
            "factual": (20, 18),
            "comparative": (10, 10),
            "procedural": (15, 15),
            "relational": (15, 15),
            "aggregative": (10, 10),
            "multi_hop": (15, 14),
        }
        assert (found.minimum, found.missing) == (85, 82)
        assert (summary.queries, summary.askable, summary.verified, summary.with_spans) == (4, 3, 1, 1)

    def test_a_set_of_brain_sync_lacks_up_to_fifty_in_all(self, database, tenant, asked) -> None:
        found = fetch_set_contents(database, tenant).statistics()

        assert [one.minimum for one in found.coverage] == [None] * 5
        assert (found.minimum, found.missing) == (50, 49)
        assert found.by_difficulty == {"1": 0, "2": 1, "3": 0, "4": 0, "5": 0}

    def test_an_empty_set_has_no_means(self, database, tenant) -> None:
        found = fetch_set_contents(database, tenant).statistics()

        assert (found.total_queries, found.avg_relevant_notes, found.avg_relevant_chunks) == (0, None, None)
        with pytest.raises(NotFoundError, match="no golden set"):
            fetch_set_contents(database, tenant, set_name="nadie")

    def test_a_document_says_name_vocabulary_and_version(self, database, tenant, asked) -> None:
        document = export_document(database, tenant)

        assert (document["set"], document["vocabulary"], document["version"]) == ("default", "brain_sync", 1)
        assert document["queries"][0]["relevance"] == [
            {"id": "n1", "grade": 3, "spans": [{"start": 3, "end": 15, "quote": "señor Ferrer"}]}
        ]
        assert export_document(database, TenantId("nadie"))["queries"] == []

    def test_the_same_question_is_a_conflict_within_a_set_only(self, database, tenant, asked) -> None:
        given = COMPLETE | {"query": "¿QUIÉN riega?", "relevant_note_ids": asked.relevant_note_ids}

        with pytest.raises(ConflictError):
            add_golden_query(database, tenant, **given)
        added = add_golden_query(database, tenant, set_name="otro", **given)

        with pytest.raises(NotFoundError):
            delete_golden_query(database, tenant, added.id, within=asked.id)
