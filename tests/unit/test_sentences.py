"""Sentence boundaries in the three languages, and the window of sentences around a chunk."""

from textwrap import wrap

import pytest
from growth import MOST_GROWTH, growth

from rag_core.chunking import sentence_spans, window_bounds
from rag_core.chunking.sentences import MAX_SENTENCE_CHARACTERS
from rag_core.model.note import Language


def pieces(text: str, language: Language = "es") -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text, language)]


def parted(marked: str) -> tuple[str, list[str]]:
    """The text and its sentences, from a text where ``|`` marks the boundaries."""
    return marked.replace("|", ""), marked.split("|")


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


def test_hard_wrapped_prose_is_not_a_sentence_a_line() -> None:
    # From chapter one of Don Quijote, as its plain-text editions wrap it; a year and a dash start lines.
    text = (
        "Una olla de algo más vaca que carnero, salpicón las más noches, duelos\n"
        "y quebrantos los sábados, lantejas los viernes, algún palomino de\n"
        "añadidura los domingos, consumían las tres partes de su hacienda. El resto\n"
        "della concluían sayo de velarte y calzas de velludo. Corría por fin el año\n"
        "1605. Tenía en su casa una ama tan gran madrugadora y amiga de la caza\n"
        "— que pasaba de los cuarenta —, y una sobrina."
    )

    starts = [text[start : start + 8] for start, _ in sentence_spans(text, "es")]

    assert starts == ["Una olla", "El resto", "Corría p", "Tenía en"]


WRAPPED = {
    "a first line that ends early": (
        "Te mando el informe que me pediste ayer, con las correcciones de Marta y\n"
        "las tablas nuevas. |Si ves algo raro me dices y lo cambio antes del lunes, que\n"
        "es cuando lo tengo que entregar.\n|Un abrazo\n|Ana"
    ),
    "two lines": "Al norte del Gran Los Ángeles están las áreas metropolitanas de todo el\nestado, y más.",
    "an item": "- Llamar a la gestoría por la declaración trimestral del IVA y también\n  por los recibos.\n|- Pan",
    "a title above": (
        "Primera parte del ingenioso hidalgo\n"
        "|En un lugar de la Mancha, de cuyo nombre no quiero acordarme, no ha mucho\n"
        "tiempo que vivía un hidalgo de los de lanza en astillero, adarga antigua,\n"
        "rocín flaco y galgo corredor, que así ensillaba el rocín como tomaba la\n"
        "podadera. |Frisaba la edad de nuestro hidalgo con los cincuenta años; era de\n"
        "complexión recia, seco de carnes."
    ),
    "a quoted mail": (
        "> Te mando el informe que me pediste ayer, con las correcciones de Marta y\n"
        "> las tablas nuevas. |Si ves algo raro me dices y lo cambio antes del lunes\n"
        "> sin falta\n\n|Gracias, lo miro"
    ),
}


@pytest.mark.parametrize("marked", WRAPPED.values(), ids=WRAPPED.keys())
def test_lines_wrapped_to_a_width_are_joined(marked: str) -> None:
    text, sentences = parted(marked)

    assert pieces(text) == sentences


WRITTEN_IN_LINES = {
    "a chat": (
        "12/3/24, 10:15 - Ana: hola, mañana a qué hora quedamos\n"
        "|12/3/24, 10:16 - Luis: a las cinco en la plaza, si te va bien\n"
        "|12/3/24, 10:17 - Ana: vale\n|traigo yo el pan\n"
        "|12/3/24, 10:18 - Luis: Perfecto. |Nos vemos\n|12/3/24, 10:19 - Ana: Ok.\n|12/3/24, 10:20 - Ana: 😀😀"
    ),
    "a chat with brackets": (
        "[12/03/24, 10:15:01] Ana: Has llamado al fontanero?\n|[12/03/24, 10:15:40] Luis: viene el martes\n"
        "|[12/03/24, 10:16:02] Ana: genial!!\n|[12/03/24, 10:16:30] Luis: y el del gas\n|[12/03/24, 10:17:02] Ana: no"
    ),
    "a shopping list": "Compra:\n|leche\n|pan\n|huevos\n|3 kg de naranjas\n|aceite de oliva virgen extra\n|sal",
    "numbers from three": "3. llamar a Ana\n|4. comprar pan\n|5. pagar la luz",
    "dictation": (
        "hoy he ido al médico y me ha dicho que todo va mejor\n|después he comido con marta en el bar de la esquina\n"
        "|por la tarde he trabajado un rato en el informe de la obra\n|estoy cansada"
    ),
    "an address": "Ana Pérez Ruiz\n|C/ Mayor, 3, 2.º A\n|22700 Jaca\n|Huesca\n|España",
    "a form": "Nombre: José Manuel\n|Domicilio: Calle Bravo Murillo, 86, 1 A\n|Ingreso: 13/06/2018\n|Servicio: Urgencias",
    "a log": (
        "2024-03-12 10:15:01 ERROR no se pudo abrir el fichero\n|2024-03-12 10:15:02 INFO reintento\n"
        "|2024-03-12 10:15:03 WARN sin conexión con el servidor de nombres\n"
    ),
    "minutes": "Reunión del lunes\n|Asistentes: Ana y Luis\n|Se cambia la caldera. |Luis pide precio\n|Próxima el 15 de mayo",
    "Windows line ends": "Leche\r\n|Pan\r\n|Huevos",
    "a sentence that goes on": "Volverán las golondrinas\n|en tu balcón sus nidos a colgar,\ny otra vez a sus cristales",
}


@pytest.mark.parametrize("marked", WRITTEN_IN_LINES.values(), ids=WRITTEN_IN_LINES.keys())
def test_a_line_that_its_writer_ended_is_a_sentence(marked: str) -> None:
    text, sentences = parted(marked)

    assert pieces(text) == sentences


@pytest.mark.parametrize("line_end", ["\r", "\u2028", "\u2029"])
@pytest.mark.parametrize("marked", WRITTEN_IN_LINES.values(), ids=WRITTEN_IN_LINES.keys())
def test_a_line_may_end_with_any_line_end(marked: str, line_end: str) -> None:
    text, sentences = parted(marked.replace("\r\n", "\n").replace("\n", line_end))

    assert pieces(text) == sentences


@pytest.mark.parametrize("line_end", ["\r", "\u2028", "\u2029"])
def test_blank_lines_and_items_are_told_by_any_line_end(line_end: str) -> None:
    text = "Compra\n\n- pan\n- leche y\n  huevos\n\n# Notas\nLlueve."

    assert sentence_spans(text.replace("\n", line_end), "es") == sentence_spans(text, "es")


def test_names_at_the_start_of_wrapped_lines_start_no_sentence() -> None:
    text = (
        "From 2005 to 2014 there were two teams of the Major League Soccer in Los\n"
        "Angeles, which both played at the StubHub Center and were local rivals of\n"
        "Chivas, and each of them had its own supporters, who met before matches in\n"
        "Carson."
    )

    assert pieces(text, "en") == [text]


def test_german_and_english_lines_are_told_by_their_own_words() -> None:
    assert pieces("Einkauf\nMilch\nBrot und\nbutter\nEier", "de") == [
        "Einkauf\n",
        "Milch\n",
        "Brot und\nbutter\n",
        "Eier",
    ]
    assert pieces("milk\nbread and\nbutter\neggs", "en") == ["milk\n", "bread and\nbutter\n", "eggs"]


@pytest.mark.parametrize("columns", [50, 60, 72, 79, 100])
def test_prose_has_the_same_sentences_wrapped_or_not(columns: int) -> None:
    sentence = (
        "El perro de la Sra. Ruiz come p. ej. pan y 3.5 kg de uvas, que la vecina de San Juan le trae los lunes. "
    )
    paragraph = (sentence * 8).strip()

    assert sentence_spans("\n".join(wrap(paragraph, columns)), "es") == sentence_spans(paragraph, "es")


def test_in_a_growing_text_no_line_end_depends_on_the_lines_that_follow() -> None:
    assert sentence_spans("leche\npan\nhuevos", "es", is_growing=True) == [(0, 16)]


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


STARTS = [0, 10, 20, 30, 40]


@pytest.mark.parametrize(
    ("span", "before", "after", "window"),
    [
        ((20, 30), 0, 0, (20, 30)),
        ((20, 30), 1, 1, (10, 40)),
        ((20, 30), 2, 2, (0, 50)),
        ((20, 30), 9, 9, (0, 50)),
        ((20, 30), 0, 1, (20, 40)),
        ((20, 30), 1, 0, (10, 30)),
        ((24, 26), 0, 0, (20, 30)),
        ((15, 35), 0, 0, (10, 40)),
        ((0, 10), 2, 0, (0, 10)),
        ((40, 50), 0, 2, (40, 50)),
        ((0, 50), 0, 0, (0, 50)),
    ],
)
def test_a_window_is_whole_sentences_around_the_span(
    span: tuple[int, int], before: int, after: int, window: tuple[int, int]
) -> None:
    assert window_bounds(STARTS, 50, span, before=before, after=after) == window


@pytest.mark.parametrize(
    ("max_tokens", "window"),
    [
        (13, (0, 50)),
        (10, (0, 40)),
        (8, (10, 40)),
        (5, (10, 30)),
        (4, (20, 30)),
        (1, (20, 30)),
    ],
)
def test_a_window_has_as_many_sentences_on_either_side_as_fit(max_tokens: int, window: tuple[int, int]) -> None:
    assert window_bounds(STARTS, 50, (20, 30), before=2, after=2, max_tokens=max_tokens) == window


def test_a_window_leaves_out_the_rest_of_a_sentence_that_does_not_fit() -> None:
    assert window_bounds([0, 5_000], 5_100, (4_900, 5_040), before=2, after=2, max_tokens=50) == (4_900, 5_100)


def test_the_sentences_wanted_and_the_next_one_are_all_a_window_needs() -> None:
    assert window_bounds([10, 20, 30, 40], 32, (20, 30), before=1, after=1) == (10, 40)


def test_a_window_without_sentences_is_the_span() -> None:
    assert window_bounds([], 50, (3, 9), before=2, after=2) == (3, 9)
