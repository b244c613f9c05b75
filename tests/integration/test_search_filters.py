"""Filters in both legs: what they let through, whole and in the order it has without them."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from filling import TENANT, Filled, index_stale, store_note
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from psycopg import sql

from rag_core.model.note import ChunkId, NoteId, TenantId, note_id_for
from rag_core.model.retrieval import NO_FILTERS, Filters
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage import vector_index
from rag_core.storage.notes import delete_notes
from rag_core.storage.search import search_fulltext, search_semantic

FIRST_DAY = datetime(2024, 1, 1, tzinfo=UTC)
SOURCES = ("diario", "correo", "web")
LANGUAGES = ("es", "de", "en")
TAGS = ("Viaje", "trabajo", "Niños", "straße", "Viaje/Norte", "viajero")
TYPES = ("invoice", "contract", "other")
TOPICS = ("Riego", "viaje", "tren")
COUNT = 36
ALL = 10**6
QUERY = "tren estación retraso lluvia"
PATHS = pytest.mark.parametrize("few", [ALL, 0], ids=["few are allowed", "many are allowed"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A note of the corpus as a filter sees it."""

    day: datetime
    source: str
    language: str
    kind: str
    tags: tuple[str, ...]
    document_type: str
    topic: str


@pytest.fixture
def beginning(request: pytest.FixtureRequest, template: str, filled: Filled) -> str:
    """The notes that the test asks for, indexed."""
    for name, fill in {"notes": fill_with_facts, "far": fill_with_trains}.items():
        if name in request.fixturenames:
            return filled(f"filters_{name}", fill)
    return template


@pytest.fixture
def notes() -> dict[NoteId, Stored]:
    """Notes with all combinations of facts, each of one chunk and with a vector index over them."""
    return {
        note_id_for(TENANT, one.source, f"n{number + 1}"): one
        for number, one in enumerate(facts(number) for number in range(COUNT))
    }


def facts(number: int) -> Stored:
    return Stored(
        day=FIRST_DAY + timedelta(days=number),
        source=SOURCES[number % 3],
        language=LANGUAGES[number // 3 % 3],
        kind="document" if number % 4 == 0 else "note",
        tags=tuple(tag for at, tag in enumerate(TAGS) if number >> at & 1),
        document_type=TYPES[number // 2 % 3],
        topic=TOPICS[number // 5 % 3],
    )


def fill_with_facts(url: str) -> None:
    with open_engine(read_settings(database_url=url)) as engine:
        documents = []
        for number in range(COUNT):
            one = facts(number)
            words = "tren " * (number % 5) + "estación " * (number % 7) + "retraso " * (number % 3)
            note = store_note(
                engine.database,
                TENANT,
                f"{words} lluvia {number} x{number * 7}",
                external_id=f"n{number + 1}",
                source=one.source,
                language=one.language,
                created_at=one.day.isoformat(),
                metadata={"tags": list(one.tags)},
            )
            documents += [note] if one.kind == "document" else []
        with engine.database.owner() as connection:
            connection.execute("update brain.notes set kind = 'document' where note_id = any(%s)", (documents,))
        index_stale(engine, TENANT)
        tell_types_and_topics(engine)
        vector_index.ensure_vector_index(engine.database, engine.model, exact_scan_chunks=0)


def tell_types_and_topics(engine: Engine) -> None:
    """Give each note the type and topic of its facts, whatever was read in its text."""
    with engine.database.owner() as connection:
        for number in range(COUNT):
            one = facts(number)
            connection.execute(
                "update brain.note_enrichments set document_type = %s, topics = array[%s], topic_keys = array[brain.tag_key(%s)] "
                "where note_id = %s",
                (one.document_type, one.topic, one.topic, note_id_for(TENANT, one.source, f"n{number + 1}")),
            )


def fill_with_trains(url: str) -> None:
    with open_engine(read_settings(database_url=url)) as engine:
        for number in range(250):
            text = f"El tren {number} llegó a la estación {number * 3} con retraso por la lluvia."
            store_note(engine.database, TENANT, text, external_id=f"n{number + 1}")
        store_note(engine.database, TENANT, "Compré queso.", external_id="queso", source="web")
        index_stale(engine, TENANT)
        vector_index.ensure_vector_index(engine.database, engine.model, exact_scan_chunks=0)


def fulltext(engine: Engine, tenant: TenantId, filters: Filters, few: int = ALL, limit: int = 100):
    return search_fulltext(
        engine.database, tenant, QUERY, limit=limit, timeout_ms=20_000, filters=filters, exact_scan_chunks=few
    ).ranking


def semantic(engine: Engine, tenant: TenantId, filters: Filters, few: int = ALL, limit: int = 100):
    vector = engine.embedder.embed([QUERY], role="query")[0]
    return search_semantic(
        engine.database,
        tenant,
        vector,
        model=engine.model,
        searched="contextual",
        limit=limit,
        timeout_ms=20_000,
        filters=filters,
        exact_scan_chunks=few,
    )


def notes_of_chunks(engine: Engine, tenant: TenantId) -> dict[ChunkId, NoteId]:
    with engine.database.transaction(tenant) as connection:
        return dict(connection.execute("select chunk_id, note_id from chunks").fetchall())


def passes(filters: Filters, note: NoteId, one: Stored) -> bool:
    """The definition of a filter, in Python."""
    tags = {tag.casefold() for tag in one.tags}
    tags_and_above = tags | {tag.partition("/")[0] for tag in tags}
    wanted_tags, wanted_topics = ({name.casefold() for name in names} for names in (filters.tags, filters.topics))
    return (
        (filters.since is None or one.day >= filters.since)
        and (filters.until is None or one.day < filters.until)
        and (not filters.kinds or one.kind in filters.kinds)
        and (not filters.sources or one.source in filters.sources)
        and (not filters.languages or one.language in filters.languages)
        and (not filters.tags or not wanted_tags.isdisjoint(tags_and_above))
        and (not filters.topics or not wanted_topics.isdisjoint(tags_and_above | {one.topic.casefold()}))
        and (not filters.document_types or not {one.kind, one.document_type}.isdisjoint(filters.document_types))
        and (not filters.document_ids or note in filters.document_ids)
    )


def some(values: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.one_of(st.just(()), st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple))


days = st.one_of(st.none(), st.integers(-2, COUNT + 2).map(lambda day: FIRST_DAY + timedelta(days=day)))
random_filters = st.builds(
    Filters,
    since=days,
    until=days,
    kinds=some(("note", "document")),
    sources=some((*SOURCES, "nadie")),
    languages=some(LANGUAGES),
    tags=some((*TAGS, "VIAJE", "nunca")),
    topics=some((*TOPICS, "RIEGO", "trabajo", "nunca")),
    document_types=some((*TYPES, "note", "document", "policy")),
)


@PATHS
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(filters=random_filters)
@example(filters=NO_FILTERS)
@example(filters=Filters(since=FIRST_DAY + timedelta(days=9), until=FIRST_DAY + timedelta(days=9)))
def test_what_passes_is_what_a_filter_of_the_whole_ranking_leaves(engine, tenant, notes, few, filters) -> None:
    note_of = notes_of_chunks(engine, tenant)

    for search in (fulltext, semantic):
        whole = search(engine, tenant, NO_FILTERS)
        expected = [(chunk, score) for chunk, score in whole if passes(filters, note_of[chunk], notes[note_of[chunk]])]
        found = search(engine, tenant, filters, few)

        assert sorted(found) == [(chunk, pytest.approx(score)) for chunk, score in sorted(expected)]
        assert [score for _, score in found] == pytest.approx([score for _, score in expected])


@PATHS
def test_as_many_as_asked_for_are_found_when_so_many_pass(engine, tenant, notes, few) -> None:
    filters = Filters(sources=("correo",))

    assert len(semantic(engine, tenant, filters, few, limit=5)) == 5
    assert len(semantic(engine, tenant, filters, few, limit=50)) == 12
    assert fulltext(engine, tenant, filters, few, limit=5) == fulltext(engine, tenant, filters, few)[:5]


@PATHS
def test_named_documents_alone_are_searched(engine, tenant, notes, few) -> None:
    note_of = notes_of_chunks(engine, tenant)
    wanted = list(notes)[3:5]

    for search in (fulltext, semantic):
        found = search(engine, tenant, Filters(document_ids=tuple(wanted)), few)
        assert {note_of[chunk] for chunk, _ in found} == set(wanted)


class TestWalk:
    """Through a vector index of more than a handful of notes, where the walk may give up before it has found enough."""

    @pytest.fixture
    def far(self, engine, monkeypatch) -> NoteId:
        """A note far from the query, among many near it, on a server that walks but a few steps."""
        monkeypatch.setattr("rag_core.storage.search.EF_SEARCH", 1)
        with engine.database.owner() as connection:
            name = sql.Identifier(connection.info.dbname)
            for setting in ("hnsw.max_scan_tuples = 1", "enable_sort = off"):  # so few rows would be sorted, not walked
                connection.execute(sql.SQL("alter database {} set " + setting).format(name))
        return note_id_for(TENANT, "web", "queso")

    @PATHS
    def test_what_passes_is_found_however_far_it_is(self, engine, tenant, far, few) -> None:
        with open_engine(engine.settings) as fresh:
            found = semantic(fresh, tenant, Filters(sources=("web",)), few, limit=1)

        assert [chunk for chunk, _ in found] == [
            chunk for chunk, note in notes_of_chunks(engine, tenant).items() if note == far
        ]

    def test_all_are_found_when_all_are_asked_for(self, engine, tenant, far) -> None:
        with open_engine(engine.settings) as fresh:
            assert len(semantic(fresh, tenant, NO_FILTERS, 0, limit=251)) == 251


def test_the_interval_holds_its_first_moment_and_not_its_last(engine, tenant, notes) -> None:
    note_of = notes_of_chunks(engine, tenant)
    filters = Filters(since=FIRST_DAY + timedelta(days=3), until=FIRST_DAY + timedelta(days=5))

    found = {notes[note_of[chunk]].day for chunk, _ in semantic(engine, tenant, filters)}

    assert found == {FIRST_DAY + timedelta(days=3), FIRST_DAY + timedelta(days=4)}


def test_another_tenants_tags_find_nothing(engine, tenant, notes) -> None:
    other = TenantId("otra")

    assert fulltext(engine, other, Filters(tags=("viaje",))) == []
    assert semantic(engine, other, Filters(tags=("viaje",))) == []


class TestTags:
    """The rows of tags follow the notes."""

    def tagged(self, engine: Engine, tenant: TenantId, tag: str) -> int:
        return len(
            search_fulltext(
                engine.database, tenant, "nota", limit=10, timeout_ms=9000, filters=Filters(tags=(tag,))
            ).ranking
        )

    def test_a_changed_note_is_found_by_its_new_tags_alone(self, engine, tenant, make_note) -> None:
        make_note("Una nota.", external_id="a", metadata={"tags": ["vieja", "Ñu"]})
        make_note("Una nota.", external_id="a", metadata={"tags": ["nueva", "Ñu"]})

        assert [self.tagged(engine, tenant, tag) for tag in ("vieja", "nueva", "ñu")] == [0, 1, 1]

    def test_a_note_whose_tags_are_gone_is_found_by_none(self, engine, tenant, make_note) -> None:
        make_note("Una nota.", external_id="a", metadata={"tags": ["vieja"]})
        make_note("Una nota.", external_id="a", metadata={})

        assert self.tagged(engine, tenant, "vieja") == 0

    def test_a_deleted_note_leaves_no_tags(self, engine, tenant, make_note) -> None:
        note = make_note("Una nota.", metadata={"tags": ["vieja"]})
        with engine.database.transaction(tenant) as connection:
            delete_notes(connection, tenant, [note])
            left = connection.execute("select count(*) from note_tags").fetchone()

        assert left == (0,)

    @pytest.mark.parametrize("asked", ["Cafe\u0301", "CAFÉ", "café"])
    def test_case_and_the_spelling_of_an_accent_do_not_matter(self, engine, tenant, make_note, asked) -> None:
        make_note("Una nota.", metadata={"tags": ["Café"]})

        assert self.tagged(engine, tenant, asked) == 1

    def test_a_tag_as_long_as_a_text_is_kept_with_the_note_and_not_searched(self, engine, tenant, make_note) -> None:
        make_note("Una nota.", metadata={"tags": ["á" * 5000, "corta"]})

        assert self.tagged(engine, tenant, "á" * 5000) == 0
        assert self.tagged(engine, tenant, "corta") == 1
