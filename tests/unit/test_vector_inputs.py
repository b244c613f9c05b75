"""Texts that a chunk's vectors are made of: one for each kind, or every sentence for the standard one."""

from dataclasses import replace

import numpy as np
import pytest
from builders import make_embedding_model
from hypothesis import given
from hypothesis import strategies as st

from rag_core.embedding.context import with_context
from rag_core.indexing.inputs import LEAST_CHARACTERS, parts_of, vector_hash, vector_texts
from rag_core.indexing.isolation import embed_joined
from rag_core.model.chunk import ChunkText
from rag_core.model.embedding import input_hash

LONG = "La caldera pierde agua por la junta de abajo y hay que cambiarla antes de que lleguen los fríos de noviembre."
OTHER = (
    "El fontanero de la calle Mayor pidió ciento veinte euros por la pieza y otros sesenta por venir hasta el pueblo."
)
TEXT = f"{LONG} {OTHER}"
ROWS = "| 3 de mayo | Ruedas | 240,00 |\n| 9 de junio | Aceite |  |\n"
SENTENCES = make_embedding_model(searched_vectors="sentences")


def chunk(content, context="Casa", title="Reformas", **others) -> ChunkText:
    given = {"language": "es", "chunking_method": "sentence", **others}
    return ChunkText(content=content, context=context, title=title, **given)


def texts_of(content, most):
    return tuple(part.text for part in parts_of(chunk(content), most=most))


def test_a_model_that_searches_sentences_has_one_vector_a_sentence_with_its_title() -> None:
    assert vector_texts(SENTENCES, "standard", chunk(TEXT)) == (
        f"Reformas. {LONG}",
        f"Reformas. {OTHER}",
    )


def test_another_has_one_for_all() -> None:
    assert vector_texts(make_embedding_model(), "standard", chunk(TEXT)) == (TEXT,)


@pytest.mark.parametrize("model", [SENTENCES, make_embedding_model()])
def test_the_contextual_vector_is_that_of_context_and_chunk(model) -> None:
    assert vector_texts(model, "contextual", chunk(TEXT)) == (with_context("Casa", f"{LONG} {OTHER}"),)


@pytest.mark.parametrize("kind", ["standard", "contextual"])
def test_a_note_that_is_not_chunked_has_one_vector_for_both_kinds(kind) -> None:
    assert vector_texts(SENTENCES, kind, chunk(TEXT, None)) == (f"{LONG} {OTHER}",)


def test_a_short_sentence_goes_with_the_next_and_the_last_with_the_one_before() -> None:
    assert texts_of(f"Sí. {LONG} {OTHER} Pagado.", most=40) == (f"Sí. {LONG}", f"{OTHER} Pagado.")


def test_beyond_the_most_the_last_has_the_rest() -> None:
    assert texts_of(f"{LONG} {OTHER} {LONG}", most=2) == (LONG, f"{OTHER} {LONG}")


@given(
    st.lists(
        st.sampled_from([LONG, OTHER, "Sí.", "No.", "¿Y el gato?", "\n\n", "- uno", "   "]), min_size=1, max_size=30
    ),
    st.integers(1, 8),
)
def test_no_word_is_lost_and_few_are_short(parts, most) -> None:
    text = " ".join(parts)
    if not text.strip():
        return

    found = texts_of(text, most=most)

    assert " ".join(found).split() == text.split()
    assert 1 <= len(found) <= most
    assert all(found)
    assert len(found) == 1 or all(len(one) >= LEAST_CHARACTERS for one in found)


def test_one_text_has_the_hash_that_it_always_had_and_more_have_another() -> None:
    model = make_embedding_model()

    assert input_hash(model, "a b", role="document") != input_hash(model, "a", "b", role="document")
    assert input_hash(model, "a", "b", role="document") != input_hash(model, "b", "a", role="document")


def test_the_vectors_of_an_input_stand_one_after_another() -> None:
    class Embedder:
        name, dimensions = "largo", 2

        def embed(self, texts, *, role):
            return np.array([[len(text), 1] for text in texts], dtype=np.float32)

    found = embed_joined([("a", "bbb"), ("cc",)], Embedder())

    assert [vector.tolist() for vector in found] == [[1, 1, 3, 1], [2, 1]]
    assert embed_joined([], Embedder()) == []


def test_rows_of_a_table_are_embedded_behind_their_headers_and_caption() -> None:
    rows = chunk(ROWS, kind="table_segment", headers=("Fecha", "Concepto", "Importe"), caption="Gastos del coche")

    assert vector_texts(SENTENCES, "standard", rows) == (
        "Reformas. Gastos del coche. Fecha: 3 de mayo; Concepto: Ruedas; Importe: 240,00",
        "Reformas. Gastos del coche. Fecha: 9 de junio; Concepto: Aceite",
    )
    assert vector_texts(make_embedding_model(), "standard", rows) == (
        f"Gastos del coche\n| Fecha | Concepto | Importe |\n{ROWS}",
    )


def test_a_whole_table_has_what_stands_before_it_and_its_rows() -> None:
    table = f"{LONG}\n\n| Fecha | Importe |\n|---|---|\n| 3 de mayo | 240,00 |\n"
    parts = parts_of(chunk(table, kind="table", headers=("Fecha", "Importe"), caption=None), most=40)

    assert [part.text for part in parts] == [LONG, "Fecha: 3 de mayo; Importe: 240,00"]
    assert [table[slice(*part.span)] for part in parts] == [LONG, "| 3 de mayo | 240,00 |"]


def test_a_header_alone_is_embedded_as_the_names_of_its_columns() -> None:
    head = "Gastos\n\n| Fecha | Importe |\n|---|---|\n"
    parts = parts_of(chunk(head, kind="table_summary", headers=("Fecha", "Importe"), caption="Gastos"), most=40)

    assert [part.text for part in parts] == ["Gastos", "Gastos. Fecha, Importe"]


def test_rows_beyond_the_most_go_with_the_last() -> None:
    rows = "".join(f"| {number} |\n" for number in range(5))
    parts = parts_of(chunk(rows, kind="table_segment", headers=("Nota",)), most=2)

    assert [part.text for part in parts] == ["Nota: 0", "Nota: 1 Nota: 2 Nota: 3 Nota: 4"]


def test_sentences_read_together_have_another_hash_and_the_title_before_them() -> None:
    model = replace(SENTENCES, provider="e5")
    apart, together = (chunk(TEXT, chunking_method=method) for method in ("sentence", "late"))

    texts = vector_texts(model, "standard", together)

    assert texts == ("Reformas", LONG, OTHER)
    assert vector_texts(SENTENCES, "standard", together) == vector_texts(SENTENCES, "standard", apart)
    assert vector_hash(model, texts) != vector_hash(model, tuple(texts))


def test_a_part_of_a_row_is_embedded_with_the_headers_of_its_cells_behind_its_first_cell() -> None:
    part = chunk("| 3 | 5 |\n", kind="table_segment", headers=("Sur", "Este"), caption="Lluvia. Mes: enero")

    assert vector_texts(SENTENCES, "standard", part) == ("Reformas. Lluvia. Mes: enero. Sur: 3; Este: 5",)


def test_a_part_of_a_long_header_is_embedded_as_it_stands() -> None:
    part = chunk("| Sur | Este |\n| --- |", kind="table_summary", headers=("Mes", "Norte", "Sur", "Este"))

    assert [one.text for one in parts_of(part, most=40)] == ["| Sur | Este |\n| --- |"]
