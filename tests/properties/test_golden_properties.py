"""Properties of golden sets, however their queries come in (properties 30 to 33)."""

import json
import unicodedata
from datetime import UTC, datetime
from io import BytesIO
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.corpora import new_tenant, parsed, stored
from properties.strategies import decomposed, sentences

from rag_core.errors import ConflictError, InvalidInputError, NotFoundError
from rag_core.evaluation.golden.edits import (
    add_golden_query,
    delete_golden_query,
    list_golden_queries,
    update_golden_query,
)
from rag_core.evaluation.golden.exporting import export_document
from rag_core.evaluation.golden.files import read_golden_file
from rag_core.evaluation.golden.importing import import_golden
from rag_core.model.golden import CATEGORIES, normalise_query
from rag_core.storage.notes import delete_notes

pytestmark = pytest.mark.slow

EXAMPLES = settings(max_examples=100)
NAMES = ("n1", "n2", "n3")
TEXTS = sentences().filter(lambda text: bool(text.strip()))
BLANKS = st.sampled_from(("", " ", "\n\t", "\u00a0"))
COMPLETE = st.fixed_dictionaries(
    {
        "query": TEXTS,
        "expected_answer": TEXTS,
        "category": st.sampled_from(CATEGORIES["brain_sync"]),
        "difficulty": st.integers(1, 5),
        "tags": st.lists(TEXTS, max_size=3),
    }
)
BROKEN = st.one_of(
    st.fixed_dictionaries({"query": BLANKS}),
    st.fixed_dictionaries({"expected_answer": BLANKS}),
    st.fixed_dictionaries({"category": TEXTS | BLANKS | st.sampled_from(("Factual", "multipart"))}),
    st.fixed_dictionaries({"difficulty": st.integers(max_value=0) | st.integers(min_value=6) | st.just(True)}),
    st.just({"relevant_note_ids": []}),
)
MOMENTS = st.datetimes(
    min_value=datetime(1970, 1, 1),  # noqa: DTZ001  the zone follows
    max_value=datetime(2100, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
LINES = st.lists(
    st.fixed_dictionaries(
        {"query": TEXTS, "relevant_ids": st.sets(st.sampled_from(NAMES), min_size=1).map(sorted)},
        optional={
            "id": st.sampled_from(("g1", "g2", "pregunta ñ")) | st.uuids().map(str),
            "answer": TEXTS,
            "category": st.sampled_from(CATEGORIES["brain_sync"]),
            "difficulty": st.integers(1, 5),
            "tags": st.lists(TEXTS, max_size=3),
            "created_at": MOMENTS.map(datetime.isoformat),
            "updated_at": MOMENTS.map(datetime.isoformat),
        },
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda line: normalise_query(line["query"]),
)
NOTE = "Hoy vino Lucía; después llovió. Comimos en el puerto, y Lucía pagó."
QUOTES = ("Hoy vino", "llovió", "el puerto", "pagó.")
"""Each stands once in the note."""
WORDS = {"brain_sync": st.integers(1, 5), "rag_v2": st.sampled_from(("easy", "medium", "hard"))}


def whole_lines(vocabulary):
    """Lines with every field there is, in the words of a vocabulary."""
    places = st.integers(0, len(NOTE) - 9).flatmap(
        lambda start: st.integers(1, 9).map(lambda length: {"start": start, "end": start + length})
    )
    spans = st.lists(places | st.sampled_from(QUOTES).map(lambda quote: {"quote": quote}), max_size=3)
    relevant = st.fixed_dictionaries(
        {"id": st.sampled_from(NAMES), "grade": st.integers(1, 3), "spans": spans},
    )
    return st.lists(
        st.fixed_dictionaries(
            {
                "query": TEXTS,
                "relevance": st.lists(relevant, min_size=1, max_size=3, unique_by=lambda one: one["id"]),
                "category": st.sampled_from(CATEGORIES[vocabulary]),
                "difficulty": WORDS[vocabulary],
                "answer": TEXTS,
                "tags": st.lists(TEXTS, max_size=2),
                "key_facts": st.lists(TEXTS, max_size=2),
                "forbidden_content": st.lists(TEXTS, max_size=2),
                "created_by": st.sampled_from(("template:causal", "model:llama3.2", "Ana")),
                "created_at": MOMENTS.map(datetime.isoformat),
                "updated_at": MOMENTS.map(datetime.isoformat),
            },
            optional={"verified_by": TEXTS, "id": st.sampled_from(("g1", "pregunta ñ"))},
        ).flatmap(
            lambda line: (
                st.just(line)
                if "verified_by" not in line
                else MOMENTS.map(lambda moment: line | {"verified_at": moment.isoformat()})
            )
        ),
        min_size=1,
        max_size=4,
        unique_by=lambda line: normalise_query(line["query"]),
    )


WHOLE_SETS = st.sampled_from(("brain_sync", "rag_v2")).flatmap(
    lambda vocabulary: st.tuples(st.just(vocabulary), whole_lines(vocabulary))
)
REWRITINGS = st.sampled_from(
    (
        str,
        str.upper,
        str.casefold,
        decomposed,
        lambda text: f"  {text}\n",
        lambda text: text.replace(" ", "\u00a0 \t"),
        lambda text: unicodedata.normalize("NFC", text),
    )
)


def tenant_with_notes(engine):
    """A new tenant with the notes n1 to n3; its name, and their ids by theirs."""
    tenant = new_tenant()
    notes = stored(engine, tenant, [parsed(f"Nota {name}.", name) for name in NAMES])
    return tenant, {note.external_id: note_id for note_id, note in notes.items()}


def as_lines(lines) -> list[bytes]:
    return [json.dumps(line).encode() for line in lines]


@pytest.mark.property(30)
@EXAMPLES
@given(complete=COMPLETE, broken=BROKEN)
def test_a_golden_query_is_stored_complete_or_not_at_all(engine, complete, broken) -> None:
    tenant, notes = tenant_with_notes(engine)
    relevant = {"relevant_note_ids": [notes["n1"]]}

    with pytest.raises(InvalidInputError):
        add_golden_query(engine.database, tenant, **relevant | complete | broken)
    assert list_golden_queries(engine.database, tenant) == []
    added = add_golden_query(engine.database, tenant, **relevant | complete)
    with pytest.raises(InvalidInputError):
        update_golden_query(engine.database, tenant, added.id, **broken)

    (kept,) = list_golden_queries(engine.database, tenant)
    assert kept == added
    assert kept.query
    assert kept.expected_answer
    assert kept.relevant_note_ids == (notes["n1"],)
    assert (kept.category, kept.difficulty) == (complete["category"], complete["difficulty"])


@pytest.mark.property(31)
@EXAMPLES
@given(
    complete=COMPLETE, named=st.sets(st.sampled_from(NAMES)), stranger=st.sampled_from(("nobody", "foreign", "gone"))
)
def test_a_golden_query_names_notes_that_exist_and_no_others(engine, complete, named, stranger) -> None:
    tenant, notes = tenant_with_notes(engine)
    (gone,) = stored(engine, tenant, [parsed("Se borra.", "n4")])
    with engine.database.transaction(tenant) as connection:
        delete_notes(connection, tenant, [gone])
    unknown = {"nobody": uuid4(), "foreign": tenant_with_notes(engine)[1]["n1"], "gone": gone}[stranger]

    with pytest.raises(NotFoundError):
        wanted = [unknown, *(notes[name] for name in named)]
        add_golden_query(engine.database, tenant, relevant_note_ids=wanted, **complete)
    line = {"query": complete["query"], "relevant_ids": [*named, str(unknown)]}
    report = import_golden(engine.database, tenant, as_lines([line]))

    assert (report.imported, report.rejected_count) == (0, 1)
    assert list_golden_queries(engine.database, tenant) == []


@pytest.mark.property(31)
@EXAMPLES
@given(complete=COMPLETE, named=st.sets(st.sampled_from(NAMES), min_size=1), gone=st.sampled_from(NAMES))
def test_a_deleted_note_is_relevant_to_no_golden_query_any_more(engine, complete, named, gone) -> None:
    tenant, notes = tenant_with_notes(engine)
    relevant = [notes[name] for name in named]
    add_golden_query(engine.database, tenant, relevant_note_ids=relevant, **complete)

    with engine.database.transaction(tenant) as connection:
        delete_notes(connection, tenant, [notes[gone]])

    (kept,) = list_golden_queries(engine.database, tenant)
    assert set(kept.relevant_note_ids) == {notes[name] for name in named - {gone}}


@pytest.mark.property(32)
@EXAMPLES
@given(complete=COMPLETE, other=TEXTS, rewrite=REWRITINGS)
def test_a_set_has_each_query_once_however_it_is_written(engine, complete, other, rewrite) -> None:
    tenant, notes = tenant_with_notes(engine)
    relevant = {"relevant_note_ids": [notes["n1"]]}
    again = rewrite(complete["query"])
    first = add_golden_query(engine.database, tenant, **relevant | complete)

    with pytest.raises(ConflictError):
        add_golden_query(engine.database, tenant, **relevant | complete | {"query": again})
    second = add_golden_query(engine.database, tenant, **relevant | complete | {"query": f"{other} ¿Y qué más?"})
    with pytest.raises(ConflictError):
        update_golden_query(engine.database, tenant, second.id, query=again)
    import_golden(engine.database, tenant, as_lines([{"query": again, "relevant_ids": ["n2"]}]))

    kept = {query.id: query.relevant_note_ids for query in list_golden_queries(engine.database, tenant)}
    assert kept == {first.id: (notes["n2"],), second.id: (notes["n1"],)}


@pytest.mark.property(33)
@EXAMPLES
@given(lines=LINES)
def test_a_set_that_is_exported_and_imported_again_is_the_same(engine, lines) -> None:
    tenant, _ = tenant_with_notes(engine)
    import_golden(engine.database, tenant, as_lines(lines))
    before = list_golden_queries(engine.database, tenant)

    exported = json.loads(json.dumps(export_document(engine.database, tenant)["queries"]))
    for query in before:
        delete_golden_query(engine.database, tenant, query.id)
    report = import_golden(engine.database, tenant, as_lines(exported))

    assert report.imported == len(before) == len(lines)
    after = list_golden_queries(engine.database, tenant)
    assert [without_id(query) for query in after] == [without_id(query) for query in before]
    assert [query.id for query in after if not query.external_id] == [
        query.id for query in before if not query.external_id
    ]


@pytest.mark.property(33)
@EXAMPLES
@given(lines=LINES)
def test_a_set_goes_to_another_tenant_with_every_field(engine, lines) -> None:
    (here, _), (there, notes) = tenant_with_notes(engine), tenant_with_notes(engine)
    import_golden(engine.database, here, as_lines(lines))

    exported = export_document(engine.database, here)["queries"]
    import_golden(engine.database, there, as_lines(exported))

    assert unordered(export_document(engine.database, there)["queries"]) == unordered(exported)
    arrived = list_golden_queries(engine.database, there)
    given_names = {normalise_query(line["query"]): set(line["relevant_ids"]) for line in lines}
    for query in arrived:
        assert set(query.relevant_note_ids) == {notes[name] for name in given_names[normalise_query(query.query)]}


@pytest.mark.property(33)
@EXAMPLES
@given(whole=WHOLE_SETS, is_document=st.booleans())
def test_every_field_survives_either_format(engine, whole, is_document) -> None:
    vocabulary, lines = whole
    tenant = new_tenant()
    stored(engine, tenant, [parsed(NOTE, name) for name in NAMES])
    taken = import_golden(engine.database, tenant, as_lines(lines), set_name="uno", vocabulary=vocabulary)
    before = list_golden_queries(engine.database, tenant, set_name="uno")

    document = export_document(engine.database, tenant, set_name="uno")
    written = json.dumps(document, indent=1) if is_document else "\n".join(map(json.dumps, document["queries"]))
    file = read_golden_file(BytesIO(written.encode()))
    import_golden(engine.database, tenant, file.lines, set_name="dos", vocabulary=file.vocabulary)
    again = import_golden(engine.database, tenant, as_lines(document["queries"]), set_name="uno")

    after = list_golden_queries(engine.database, tenant, set_name="dos")
    assert taken.rejected == []
    assert [named(query) for query in after] == [named(query) for query in before]
    assert {query.vocabulary for query in after} == {vocabulary}
    assert (again.imported, again.changed) == (len(lines), 0)
    given_lines = {normalise_query(line["query"]): line for line in lines}
    for query in after:
        line = given_lines[normalise_query(query.query)]
        assert len(query.relevance) == len(line["relevance"])
        assert sorted(one.grade for one in query.relevance) == sorted(one["grade"] for one in line["relevance"])
        assert all(NOTE[span.start : span.end] == span.quote for one in query.relevance for span in one.spans)
        assert query.created_by == line["created_by"]
        assert (query.verified_by is None) == ("verified_by" not in line)


def unordered(exported):
    """A set with the notes of each query by name: they are in the order of their ids, which differ by tenant."""
    return [line | {"relevant_ids": sorted(line["relevant_ids"])} for line in exported]


def named(query):
    """All fields of a golden query, under the one name by which it goes out."""
    return without_id(query) | {"external_id": query.external_id or str(query.id)}


def without_id(query):
    """The fields of a golden query that has a name of its own, whatever its id."""
    own = {name: getattr(query, name) for name in query.__slots__}
    return {name: value for name, value in own.items() if name != "id"}
