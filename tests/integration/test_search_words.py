"""Words are found whatever form they stand in and whatever marks stand around them."""

import psycopg
import pytest
from databases import cloned_database

from rag_core.storage.migrate import migrate, read_migrations
from rag_core.storage.search import search_fulltext


def found(engine, tenant, text: str, limit: int = 20) -> list:
    return [
        chunk for chunk, _ in search_fulltext(engine.database, tenant, text, limit=limit, timeout_ms=10_000).ranking
    ]


@pytest.mark.parametrize(
    ("language", "stored", "asked"),
    [
        ("es", "Ayer sentí miedo en el puente.", "siento"),
        ("es", "El niño sintió frío.", "sentir"),
        ("es", "Mi abuela durmió toda la tarde.", "dormir"),
        ("es", "Hizo un pastel de manzana.", "hacer"),
        ("es", "Condujo hasta Lugo.", "conduzco"),
        ("es", "Los lápices son rojos.", "lápiz"),
        ("en", "The children played outside.", "child"),
        ("en", "They went home early.", "going"),
        ("de", "Die Urlaubsregelungen gelten ab Mai.", "Urlaub"),
        ("de", "Der Urlaub beginnt im Mai.", "Urlaubsregelungen"),
        ("de", "Das Mädchen lacht.", "Maedchen"),
        ("de", "Das Maedchen lacht.", "Mädchen"),
        ("de", "Die Straße ist lang.", "Strasse"),
    ],
)
def test_a_word_is_found_in_another_form(engine, tenant, make_note, language, stored, asked) -> None:
    note = make_note(stored, language=language)
    make_note("Otra cosa, something else, etwas anderes.", language=language)

    assert found(engine, tenant, asked) == [note]


@pytest.mark.parametrize(
    ("stored", "asked"),
    [("Tuvo COVID-19 dos veces.", "19"), ("Curso 2019-2020.", "2020"), ("La norma 19 no cambia.", "COVID-19")],
)
def test_a_number_is_found_with_and_without_a_hyphen(engine, tenant, make_note, stored, asked) -> None:
    note = make_note(stored)

    assert found(engine, tenant, asked) == [note]


def test_the_form_that_was_asked_for_comes_first(engine, tenant, make_note) -> None:
    other = make_note("Ella sintió la lluvia.")
    same = make_note("Ella siento la lluvia.")

    assert found(engine, tenant, "siento") == [same, other]


def test_forms_of_one_word_count_as_one_term(engine, tenant, make_note) -> None:
    forms = make_note("siento sintió sentí ala pan sol mar")
    two_words = make_note("siento lluvia cal ala pan sol mar")

    assert found(engine, tenant, "siento lluvia") == [two_words, forms]


@pytest.mark.parametrize(
    "text", ["«Casa» grande", "“casa”", "—Casa —dijo", "¿Casa?", "¡casa!", "una\u00a0casa", "casa…", "la ‘casa’"]
)
def test_marks_around_a_word_do_not_hide_it(engine, tenant, make_note, text) -> None:
    note = make_note(text)

    assert found(engine, tenant, "casas") == [note]
    assert found(engine, tenant, "¿«casa»?") == [note]


def test_an_emoji_is_found(engine, tenant, make_note) -> None:
    note = make_note("Compré 🍅 y pan.")

    assert found(engine, tenant, "🍅") == [note]


def test_question_words_ask_for_nothing_unless_they_stand_alone(engine, tenant, make_note) -> None:
    asking = make_note("Cuánto y cuándo, se preguntó.")
    answer = make_note("El tren llega a las diez.")

    assert found(engine, tenant, "¿Cuándo llega el tren?") == [answer]
    assert found(engine, tenant, "¿cuándo?") == [asking]


def test_a_long_query_is_searched_by_its_rarest_words(engine, tenant, make_note) -> None:
    words = [f"palabra{number}" for number in range(40)]
    make_note(" ".join(words))
    make_note(" ".join(words[:39]))
    rare = make_note("ornitorrinco")

    assert rare in found(engine, tenant, " ".join([*words, "ornitorrinco"]))


def test_notes_stored_before_marks_were_told_from_words_are_read_anew(server: str) -> None:
    migrations = read_migrations()
    with cloned_database(server, "template0") as conninfo, psycopg.connect(conninfo, autocommit=True) as connection:
        migrate(connection, [one for one in migrations if one.version < 9])
        connection.execute("set search_path = brain, public")
        connection.execute(OLD_NOTES)
        migrate(connection, migrations)

        postings = connection.execute("select lexeme, count(*) from postings group by 1 order by 1").fetchall()
        counts = connection.execute(
            "select lexeme, sum(document_frequency) from lexeme_statistics group by 1 having sum(document_frequency) <> 0"
            " order by 1"
        ).fetchall()
        corpus = connection.execute("select sum(documents), sum(total_length) from corpus_statistics").fetchone()

    assert postings == [("azul", 1), ("cas", 2)]
    assert counts == [("azul", 1), ("cas", 2)]
    assert corpus == (2, 3)


OLD_NOTES = """
insert into tenants values ('t');
insert into notes (tenant_id, note_id, source, external_id, content, content_hash, language, created_at)
select 't', gen_random_uuid(), 's', content, content, sha256(content::bytea), 'es', now()
from (values ('«casa» azul'), ('la casa')) texts (content);
insert into chunks (tenant_id, chunk_id, note_id, chunk_index, start_char, end_char, content, token_count,
    chunking_method, language)
select 't', note_id, note_id, 0, 0, char_length(content), content, 3, 'whole_note', 'es' from notes;
"""
