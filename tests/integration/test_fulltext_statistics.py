import math
import random
import threading
from collections import defaultdict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_core.model.note import ChunkId, TenantId
from rag_core.storage.database import Database
from rag_core.storage.folding import fold_statistics
from rag_core.storage.notes import delete_notes
from rag_core.storage.posting_lists import fetch_terms
from rag_core.storage.search import search_fulltext

WORDS = ["casa", "casas", "perro", "Pingüino", "corazón", "jamás", "de", "la", "2024", "niño", "🍅", "running"]
QUERY = "¿qué perros corren en la casa del corazón, niño? perros running Pingüinos"

RECOMPUTED = """
with terms as (
    select c.language, t.lexeme collate "C" as lexeme, c.chunk_id, cardinality(t.positions) as tf,
        (select sum(cardinality(positions)) from unnest(c.lexemes)) as length
    from chunks c cross join lateral unnest(c.lexemes) t
)
"""


def differences(database: Database, tenant: TenantId) -> list[tuple]:
    """Differences between the index and a recomputation from the chunks, both ways round."""
    pairs = [
        (
            "select language, lexeme, chunk_id, tf, length from terms",
            "select language, lexeme, chunk_id, term_frequency, chunk_length from postings",
        ),
        (
            "select language, lexeme, count(*) from terms group by 1, 2",
            "select language, lexeme, sum(document_frequency) from lexeme_statistics group by 1, 2 having sum(document_frequency) <> 0",
        ),
        (
            (
                "select language, count(*), sum(length) from (select language, (select coalesce(sum(cardinality(positions)), 0)"
                " from unnest(lexemes)) as length from chunks) c group by 1"
            ),
            "select language, sum(documents), sum(total_length) from corpus_statistics group by 1 having sum(documents) <> 0",
        ),
    ]
    found = []
    with database.transaction(tenant) as connection:
        for wanted, held in pairs:
            for a, b in ((wanted, held), (held, wanted)):
                found += connection.execute(f"{RECOMPUTED} ({a}) except ({b})").fetchall()
    return found


def plain_ranking(database: Database, tenant: TenantId, text: str) -> dict[ChunkId, float]:
    """BM25 by its formula, chunk by chunk, from the chunks' lexemes."""
    with database.transaction(tenant) as connection:
        terms = fetch_terms(connection, tenant, text, sees_all=True)
        rows = connection.execute(f"{RECOMPUTED} select language, lexeme, chunk_id, tf, length from terms").fetchall()
        corpora = connection.execute(
            "select language, count(*), sum(terms_in(lexemes)) from chunks group by 1"
        ).fetchall()
    scores: defaultdict[ChunkId, float] = defaultdict(float)
    for family in {term.family for term in terms}:
        forms = {term.lexeme: term.weight for term in terms if term.family == family}
        (language, repetitions) = next((term.language, term.frequency) for term in terms if term.family == family)
        ((_, n, total),) = (row for row in corpora if row[0] == language)
        held = [row for row in rows if row[0] == language and row[1] in forms]
        df = min(len(held), n)
        for chunk in {row[2] for row in held}:
            tf = sum(forms[lexeme] * float(count) for _, lexeme, of, count, _ in held if of == chunk)
            length = next(float(length) for *_, of, _, length in held if of == chunk)
            norm = 1.2 * (0.25 + 0.75 * length * n / float(total))
            scores[chunk] += repetitions * math.log(1 + (n - df + 0.5) / (df + 0.5)) * tf * 2.2 / (tf + norm)
    return scores


texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
steps = st.lists(
    st.tuples(
        st.sampled_from(["store", "delete", "fold"]), st.integers(1, 5), texts, st.sampled_from(["es", "de", "en"])
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_statistics_are_exact_after_any_mix_of_writes(database: Database, tenant: TenantId, make_note, steps) -> None:
    for action, number, text, language in steps:
        if action == "store":
            make_note(text, external_id=f"n{number}", language=language)
        elif action == "fold":
            fold_statistics(database, tenant)
        else:
            with database.transaction(tenant) as connection:
                ids = connection.execute("select note_id from notes where external_id = %s", (f"n{number}",)).fetchall()
                delete_notes(connection, tenant, [row[0] for row in ids])

    assert differences(database, tenant) == []
    found = search_fulltext(database, tenant, QUERY, limit=50, timeout_ms=20_000).ranking
    assert dict(found) == pytest.approx(plain_ranking(database, tenant, QUERY), abs=1e-9)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_the_comparison_sees_a_planted_difference(database: Database, tenant: TenantId, make_note) -> None:
    make_note("El perro duerme en la casa.")
    with database.owner() as connection:
        connection.execute("delete from brain.posting_blocks where lexeme = 'perr'")

    assert ("es", "perr") in [row[:2] for row in differences(database, tenant)]


def test_writers_and_folds_at_once_neither_deadlock_nor_lose_a_count(
    database: Database, tenant: TenantId, make_note
) -> None:
    failures: list[Exception] = []

    def write(worker: int) -> None:
        rng = random.Random(worker)
        try:
            for number in range(12):
                make_note(" ".join(rng.sample(WORDS, 8)), external_id=f"w{worker}-{number % 4}")
                fold_statistics(database, tenant)
        except Exception as error:  # noqa: BLE001  whatever it was fails the test below
            failures.append(error)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert differences(database, tenant) == []


def test_folding_leaves_one_row_a_lexeme_and_the_same_sums(database: Database, tenant: TenantId, make_note) -> None:
    make_note("perro casa", external_id="a")
    make_note("perro", external_id="b")

    fold_statistics(database, tenant)
    with database.transaction(tenant) as connection:
        rows = connection.execute(
            "select lexeme, document_frequency, is_folded from lexeme_statistics order by 1"
        ).fetchall()

    assert rows == [("cas", 1, True), ("perr", 2, True)]


@pytest.mark.parametrize(("language", "lexeme"), [("es", "niñ"), ("en", "niño")])
def test_each_language_has_its_own_lexemes(database: Database, tenant: TenantId, make_note, language, lexeme) -> None:
    make_note("niño", language=language)

    with database.transaction(tenant) as connection:
        found = connection.execute("select lexeme from postings").fetchall()

    assert found == [(lexeme,)]
