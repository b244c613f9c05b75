"""Sentences in text with hard line ends: what wrapping parts and what a writer ended."""

from textwrap import wrap

import pytest
from sentence_texts import parted, pieces

from rag_core.chunking import sentence_spans


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
