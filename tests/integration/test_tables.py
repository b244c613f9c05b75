"""Tables and sections of notes: their chunks, what is found in them, and what is shown around them."""

from dataclasses import replace

import pytest
from filling import index_stale

from rag_core.chunking import parse_choice
from rag_core.configuration.schema import configure
from rag_core.model.chunk import TablePart
from rag_core.model.retrieval import Filters
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine

TIMEOUT_MS = 20_000
INTRO = "En casa llevamos la cuenta del coche desde que lo compramos de segunda mano a un vecino de la calle Mayor. "
ROWS = [
    f"| 2024-{month:02}-{day:02} | Gasolina | {month * 10 + day},50 € |"
    for month in range(1, 7)
    for day in (3, 9, 15, 27)
]
ROWS[7] = "| 2024-02-27 | Amortiguadores | 310,00 € |"
TABLE = "| Fecha | Concepto | Importe |\n|---|---|---|\n" + "\n".join(ROWS) + "\n"
SMALL = "| Persona | Cumpleaños |\n|---|---|\n| Eva | 3 de mayo |\n| Raúl | 9 de junio |\n"
NOTE = f"# Coche\n\n{INTRO * 5}\n\n## Gastos\n\n{TABLE}\n## Seguro\n\n{'La póliza se renueva cada marzo. ' * 20}"


def rows(database, tenant, statement):
    with database.transaction(tenant) as connection:
        return connection.execute(statement).fetchall()


def chunks(engine, tenant):
    return rows(
        engine.database,
        tenant,
        "select c.kind, c.table_start, c.headers, c.caption, substring(n.content from c.start_char + 1 for"
        " c.end_char - c.start_char) = c.content, c.content from chunks c join notes n using (tenant_id, note_id)"
        " order by n.external_id, c.chunk_index",
    )


def found(engine, tenant, question, *, strategy="fulltext", filters=None, **config):
    override = {"contextExpansion": config} if config else {}
    asked = configure(override, strategy=strategy)
    return retrieve(engine, tenant, question, config=asked, filters=filters or Filters(), timeout_ms=TIMEOUT_MS).hits


def test_a_large_table_is_a_header_and_groups_of_rows_that_know_it(engine, tenant, make_note) -> None:
    make_note(NOTE)
    index_stale(engine, tenant)

    made = chunks(engine, tenant)

    assert [kind for kind, *_ in made] == ["text", "table_summary", "table_segment", "table_segment", "text"]
    assert all(is_slice for *_, is_slice, _ in made)
    assert "".join(content for *_, content in made) == NOTE
    of_table = (NOTE.index("| Fecha"), ["Fecha", "Concepto", "Importe"], "Gastos")
    assert [tuple(row[1:4]) for row in made[1:4]] == [of_table] * 3
    assert [len(row[-1].strip().splitlines()) for row in made[2:4]] == [20, 4]


def test_rows_are_found_by_the_words_of_their_header_and_caption(engine, tenant, make_note) -> None:
    make_note(NOTE)
    index_stale(engine, tenant)

    hits = found(engine, tenant, "¿Qué importe tienen los gastos en amortiguadores?")

    hit = next(hit for hit in hits if "Amortiguadores" in hit.expanded_content)
    assert hit.table == TablePart(
        kind=hit.table.kind, start=NOTE.index("| Fecha"), headers=("Fecha", "Concepto", "Importe"), caption="Gastos"
    )


def test_a_small_table_is_one_chunk_with_its_caption(engine, tenant, make_note) -> None:
    make_note(f"{INTRO * 5}\n\nCumpleaños de la familia:\n\n{SMALL}")
    index_stale(engine, tenant)

    made = chunks(engine, tenant)

    assert [(kind, caption) for kind, _, _, caption, *_ in made] == [
        ("text", None),
        ("table", "Cumpleaños de la familia"),
    ]
    assert made[1][-1] == f"Cumpleaños de la familia:\n\n{SMALL}"


def test_only_tables_are_found_where_only_they_are_wanted(engine, tenant, make_note) -> None:
    make_note(NOTE)
    index_stale(engine, tenant)

    for strategy in ("fulltext", "semantic", "hybrid"):
        hits = found(
            engine,
            tenant,
            "¿Cuándo se renueva la póliza, la gasolina?",
            strategy=strategy,
            filters=Filters(tables_only=True),
        )

        assert hits
        assert all(hit.table is not None for hit in hits)


def test_a_window_stays_in_its_section_and_out_of_tables(engine, tenant, make_note) -> None:
    make_note(NOTE)
    index_stale(engine, tenant)

    (insurance, *_) = found(engine, tenant, "póliza", sentencesBefore=20, sentencesAfter=20)
    (intro, *_) = found(engine, tenant, "vecino", sentencesBefore=20, sentencesAfter=20)
    (part, *_) = found(engine, tenant, "amortiguadores", sentencesBefore=50, sentencesAfter=50)

    assert insurance.expanded_content.startswith("## Seguro")
    assert "|" not in intro.expanded_content
    assert part.expanded_content.rstrip().endswith(ROWS[-1])


def test_the_whole_section_is_shown_where_it_is_wanted_and_fits(engine, tenant, make_note) -> None:
    make_note(NOTE)
    index_stale(engine, tenant)

    (hit, *_) = found(engine, tenant, "póliza", sections=True)
    (narrow, *_) = found(engine, tenant, "amortiguadores", sections=True, maxWindowSize=60)

    assert hit.expanded_content == NOTE[NOTE.index("## Seguro") :]
    assert len(narrow.expanded_content) < len(TABLE)


def with_chunkers(engine: Engine, choice: str) -> Engine:
    pipeline = replace(engine.pipeline, chunkers=parse_choice(choice))
    other = replace(engine)
    other.__dict__["pipeline"] = pipeline
    return other


def test_a_hierarchical_chunk_is_a_paragraph_and_shows_its_section(engine, tenant, make_note) -> None:
    note = (
        "# Casa\n\nPintamos el salón de azul claro porque entra poca luz por la tarde, y ahora parece otro.\n\n"
        "La cocina sigue blanca, aunque Eva quiere ponerle unos azulejos de color verde botella.\n\n"
        "# Campo\n\nEl huerto da tomates, pimientos y unas calabazas que este año han salido más grandes que nunca."
    )
    make_note(note)
    served = with_chunkers(engine, "hierarchical")
    index_stale(served, tenant)

    (hit, *_) = found(served, tenant, "cocina")

    assert hit.content.startswith("La cocina sigue")
    assert hit.expanded_content == note[: note.index("# Campo")]


@pytest.mark.parametrize(
    ("choice", "methods"),
    [
        ("sentence, document=fixed", {"note": "sentence", "document": "fixed"}),
        ("sentence, {tenant}/=table", {"note": "table", "document": "table"}),
        ("sentence, other/=table, document=semantic", {"note": "sentence", "document": "semantic"}),
        ("late", {"note": "sentence", "document": "sentence"}),
    ],
)
def test_the_chunker_is_chosen_by_kind_and_tenant_and_recorded_as_it_was(
    engine, tenant, make_note, choice, methods
) -> None:
    for kind in ("note", "document"):
        make_note(f"{NOTE} {kind}", external_id=kind)
    with engine.database.owner() as connection:
        connection.execute("update brain.notes set kind = external_id")
    index_stale(with_chunkers(engine, choice.format(tenant=tenant)), tenant)

    used = rows(
        engine.database,
        tenant,
        "select distinct kind, chunking_method from (select n.kind, c.chunking_method from notes n join"
        " chunks c using (tenant_id, note_id)) k",
    )

    assert dict(used) == methods


def test_another_choice_of_chunkers_makes_notes_stale(engine) -> None:
    one = engine.pipeline
    others = [
        replace(one, chunkers=parse_choice(choice)) for choice in ("fixed", "document=fixed", "ana/=fixed", "semantic")
    ]

    prints = [pipeline.fingerprint for pipeline in (one, *others)]

    assert len(set(prints)) == len(prints)
    assert replace(one, chunkers=parse_choice("")).fingerprint == one.fingerprint
