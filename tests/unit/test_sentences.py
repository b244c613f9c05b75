"""Sentence boundaries in the three languages, and the window of sentences around a chunk."""

import pytest
from growth import MOST_GROWTH, growth
from sentence_texts import parted, pieces

from rag_core.chunking import sentence_spans
from rag_core.chunking.sentences import MAX_SENTENCE_CHARACTERS


@pytest.mark.parametrize(
    "marked",
    [
        # text after the last full stop
        "Primera frase. |resto",
        "sin punto final",
        # openers belong to what follows
        "Hola. |¿Cómo estás? |¡Qué bien! |Fin",
        "¡¿Qué?! |No. |¿Sí?! |Vale.",
        "Vale… |¿Sí? |Sí… |Claro.",
        # closers belong to what they close
        "Dijo: «Hola.» |Y se fue.",
        "Dijo: «Hola». |Y se fue.",
        "“Hola.” |Y se fue.",
        "(Esto es así.) |Y se fue.",
        "[Nota.] |Y se fue.",
        "Fin.) |Otro. |Fin.] |Otro. |Fin.» |Otro. |Fin.” |Otro.",
        "Hecho.[1] |Luego fue.[2][3] |Fin.",
        # abbreviations
        "El Sr. Pérez y la Dra. López llegaron. |Se fueron.",
        "Hay frutas, p. ej. manzanas. |Y peras.",
        "Viajó a EE. UU. en mayo. |Volvió.",
        "Vive en EE. UU. |Los datos faltan.",
        "Vea el núm. 5 de la calle. |Sí.",
        "Mide aprox. 3 m. |Es alto.",
        "Es el n.º 5 y la M.ª Ana. |La 1.ª vez. |Fin.",
        "D. Quijote y D.ª Ana vinieron. |Fin.",
        "Nació en el s. XVI a. C. y murió. |Fin.",
        "A las 5 p. m. llegó. |Bien.",
        "Hay peras, uvas, etc. |Y más.",
        "La Ctra. Madrid sigue. |El Depto. Legal también.",
        # initials
        "Juan R. R. Tolkien escribió. |Fin.",
        "J. L. Borges nació en 1899. |Murió en 1986.",
        "La Dra. A. Bujons vino. |Fin.",
        "Firman M. A. López y J. E. Casal. |Fin.",
        "Falta vitamina C. |El resto está bien.",
        "Toma vitamina D. |El hierro falta.",
        "C/ Mayor, 3 A.\n|Localidad: Jaca.",
        "C/ Mayor, 3 D.\n|Localidad: Jaca.",
        "Hay peras, uvas, etc.\n|Compras de ayer.",
        "Vino Luis A.\nBusto a cenar. |Fin.",
        # numbers, dates, times, addresses
        "Son 3.5 metros. |El 12.05.2024 a las 10.30 h. fue. |Luego no.",
        "El tumor mide 12 cm. |Presenta bordes lisos.",
        "Visite www.x.com para más. |Gracias.",
        "Vaya a https://a.b/c.html. |Luego vuelva.",
        "Usa ASP.NET y Node.js. |Fin.",
        # ellipsis
        "Espera... no sé. |Bueno... |Quizá.",
        "Escribió: ...los altos cielos. |Fin.",
        # dialogue
        "—¿Vienes? —preguntó Ana. |—Sí.",
        "«¿Vienes?», preguntó. |Sí.",
        # words that look like abbreviations to the segmenter
        "Todo está bien. |Luego fuimos.",
        "Dijo que no. |Luego se fue.",
        "Fuimos al mar. |Volvimos tarde.",
        # a missing space, notes in lower case, emoji
        "Hola.|Adiós.|Fin",
        "hola. |me voy. |luego vengo",
        "Hola.😀 |Luego vino. |😀 Fin",
    ],
)
def test_spanish_sentences_end_where_a_reader_ends_them(marked: str) -> None:
    text, sentences = parted(marked)

    assert pieces(text, "es") == sentences


@pytest.mark.parametrize(
    "marked",
    [
        "Das ist z. B. gut. |Ja.",
        "Nr. 5 ist da. |Am 3. Mai kam Dr. Müller. |Er ging.",
        "Im 19. Jahrhundert war es so. |Ludwig XIV. regierte.",
        "Das 20. Jahrhundert begann. |Es waren 20. |Dann ging er.",
        "Er kam nicht, d. h. er blieb. |Gut.",
        "Er hat 3,5 Mio. Euro. |Gut.",
        "Am 12.05.2024 um 10.30 Uhr kam er. |Ja.",
        "„Hallo.“ |Er ging. |»Ja.« |Nein.",
        "Er ging. |»Ja«, sagte er. |Dann nichts.",
        "Die Fa. Kunz kam. |Sie blieb.",
        "Wir sahen Tiere usw. |Der Rest schlief.",
        "Das ist von neuer Art. |Peter kam.",
    ],
)
def test_german_sentences_end_where_a_reader_ends_them(marked: str) -> None:
    text, sentences = parted(marked)

    assert pieces(text, "de") == sentences


@pytest.mark.parametrize(
    "marked",
    [
        "Mr. Smith and Mrs. Doe went. |Yes.",
        "Fruit, e.g. apples. |Yes, i.e. that.",
        "The U.S. economy grew. |He lives in the U.S. |He works.",
        "See No. 5. |It is 3.5 m. |Fine.",
        "At 5 p.m. he left. |At 6 he came.",
        "J. R. R. Tolkien wrote it. |Fine.",
        "Dr. Who came. |He left.",
        "He said no. |Luke left.",
        '"Hello." |He left. |(It is so.) |Fine.',
    ],
)
def test_english_sentences_end_where_a_reader_ends_them(marked: str) -> None:
    text, sentences = parted(marked)

    assert pieces(text, "en") == sentences


@pytest.mark.parametrize(
    "marked",
    [
        "Lista:\n|- uno\n|- dos\n|* tres",
        "Pasos:\n|1. Uno.\n|2. Dos\n|3) Tres",
        "Opciones:\n|a) una\n|b) otra",
        "Compras\n|– leche\n|– pan",
        "- [ ] llamar\n|- [x] escribir. |Y más\n  |- debajo",
        "• Uno fue. |Dos vino. |Tres quedó.",
        "1. Primero. |2. Segundo.",
        "# Título\n\n|Texto aquí. |Más.\n|## Otro\n|Texto",
        "Uno\n\n|Dos\n   \n|Tres",
        "Uno\r\n\r\n|Dos\r\n|- tres",
        "Diálogo:\n|—Hola —dijo.\n|—Adiós.",
        "Dijo:\n|—Hola.",
        "Ayudó a su madre. : 33 Luego fue. |Fin.",
        "Sigue la lista:\n|4. Cuatro\n|5) Cinco",
        "(1) Hay peras. |Son ricas. |(2) Hay uvas. |Son caras.",
        "| a | b |\n‖| 1 | 2 |",
    ],
)
def test_blocks_without_a_full_stop_are_parted(marked: str) -> None:
    separator = "‖" if "‖" in marked else "|"
    text, sentences = marked.replace(separator, ""), marked.split(separator)

    assert pieces(text) == sentences


def test_a_year_at_the_start_of_a_line_is_no_list_item() -> None:
    assert pieces("Nació en\n1547. Murió en\n1616. Fin.") == ["Nació en\n1547. ", "Murió en\n1616. ", "Fin."]


def test_a_sentence_starts_at_no_combining_mark() -> None:
    assert pieces("Casa.\n\n \u0301Otra.") == ["Casa.\n\n \u0301Otra."]


def test_white_space_belongs_to_the_sentence_before_it() -> None:
    assert pieces("  \n Hola.  \n\n\n Adiós. \n") == ["  \n Hola.  \n\n\n ", "Adiós. \n"]


def test_a_text_of_white_space_is_one_span() -> None:
    assert sentence_spans(" \n\n\t ", "es") == [(0, 5)]


def test_an_empty_text_has_no_sentence() -> None:
    assert sentence_spans("", "es") == []


def test_offsets_are_code_points() -> None:
    text = "👨‍👩‍👧 vino. a\u0301rbol 😀. Fin."

    assert sentence_spans(text, "es") == [(0, 12), (12, 22), (22, 26)]


def test_no_character_is_lost_between_many_paragraphs() -> None:
    # The segmenter leaves a paragraph break out of its spans every 10,000 bytes.
    text = "Frase uno.\n\n" * 2_000

    assert sentence_spans(text, "es") == [(at, at + 12) for at in range(0, 24_000, 12)]


@pytest.mark.parametrize("space", ["\u00a0", "\u202f", "\u2028", "\u3000"])
def test_a_space_outside_ascii_before_a_full_stop_is_read(space: str) -> None:
    # The segmenter panics on it: no exception that Python code could answer.
    assert pieces(f"Plan A{space}. Vino Eva. Fin.")[-1] == "Fin."


def test_an_unmatched_quotation_mark_hides_no_sentence_beyond_a_paragraph_of_text() -> None:
    text = 'Mide 5" de alto. ' + "Esta frase es otra. " * 40 + 'Y 7" de ancho.'

    assert len(sentence_spans(text, "es")) == 42


def test_a_short_quotation_of_two_sentences_stays_whole() -> None:
    assert pieces("Dijo «hola. Está bien. Adiós» y fue. Fin.") == [
        "Dijo «hola. Está bien. Adiós» y fue. ",
        "Fin.",
    ]


def test_a_paragraph_beyond_one_window_is_parted_the_same_all_along() -> None:
    sentence = "El perro de la Sra. Ruiz come p. ej. pan y 3.5 kg de uvas. "
    text = sentence * 1_000

    assert {end - start for start, end in sentence_spans(text, "es")} == {len(sentence)}


@pytest.mark.parametrize("word", ["palabra ", "palabra, ", "palabra; "])
def test_a_sentence_of_any_length_is_parted_before_a_word(word: str) -> None:
    text = word * 3_000 + "fin. Otra."

    found = pieces(text)

    assert len(found) > 24
    assert all(500 <= len(piece) <= MAX_SENTENCE_CHARACTERS for piece in found[:-2])
    assert all(piece.startswith("palabra") for piece in found[:-2])
    assert found[-1] == "Otra."


def test_a_long_sentence_is_parted_at_a_clause_where_it_has_one() -> None:
    clause = "palabra " * 40

    assert pieces(f"{clause}fin, {clause}fin; {clause}fin, {clause}fin.") == [
        f"{clause}fin, {clause}fin; ",
        f"{clause}fin, {clause}fin.",
    ]


def test_a_text_without_a_space_is_parted_between_characters() -> None:
    assert [len(piece) for piece in pieces("é" * 2_500)] == [1_000, 1_000, 500]


@pytest.mark.parametrize("unit", ["a\u0301", "hola ", "a" + " " * 40, ". ", "a\n", "1234567890 ", "\U0001f1e6", "> \n"])
def test_however_little_punctuation_there_is_it_is_quick(unit: str) -> None:
    assert max(len(piece.rstrip()) for piece in pieces(unit * (600_000 // len(unit)))) <= MAX_SENTENCE_CHARACTERS
    assert growth(pieces, unit, characters=200_000) < MOST_GROWTH
