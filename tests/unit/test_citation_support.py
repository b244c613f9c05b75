import pytest
from cited_texts import SOURCES, Judge, checked
from unit.citing import VET, source

from rag_core.answering.confidence import groundedness_of
from rag_core.answering.verification.check import check_sentence, joined, read_sources
from rag_core.answering.verification.claims import answer_sentences, cut_sentences
from rag_core.answering.verification.support import quoted_span, read_source
from rag_core.model.answer import CheckedText


def verdicts(text: str, sources=SOURCES, language="es") -> list[tuple[int, bool]]:
    return [(one.number, one.is_supported) for one in checked(text, sources, language).citations]


@pytest.mark.parametrize(
    "text",
    [
        "La inyección de Trufa costó 142 euros [1].",
        "La inyección costó 142 euros [1].",
        "Según la nota [1], la inyección de Trufa costó 142 euros.",
        "La caldera no arrancó [2].",
        "La caldera no volvió a arrancar [2].",
        "El técnico vino 7 días después [2].",
        "En Sueca llovió el 2025-05-03 [2].",
        "En Sueca llovió el 3.5.2025 [2].",
        "La inyección de Trufa costó 142 euros (nota del 2025-03-01) [1].",
        "1. La caldera no arrancó [2].",
        "La inyección de Trufa costó 142 € [1].",
        "¿Costó la inyección de Trufa 142 euros? Sí [1].",
        "La inyección [1] de Trufa costó 142 euros.",
        "La inyección de Trufa costó 142 euros [1], según la nota.",
    ],
)
def test_what_a_source_says_is_supported(text: str) -> None:
    assert [is_supported for _, is_supported in verdicts(text)] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "La inyección de Trufa costó 143 euros [1].",
        "La inyección de Nora costó 142 euros [1].",
        "La inyección de Trufa no costó 142 euros [1].",
        "La caldera arrancó [2].",
        "El técnico vino 8 días después [2].",
        "En Sueca llovió el 3 de abril de 2025 [2].",
        "En Teruel llovió el 3 de mayo de 2025 [2].",
        "El alcalde inauguró un puente nuevo [2].",
        "La inyección de Trufa costó 142 euros [2].",
        "Sí [1].",
        "La inyección de Trufa costó 142 dólares [1].",
        "La inyección de Trufa costó $142 [1].",
        "La inyección de Trufa costó 142 millones de euros [1].",
        "La inyección de Trufa costó el doble de 142 euros [1].",
        "La inyección de Trufa costó mil euros [1].",
        "La inyección de Trufa apenas costó 142 euros [1].",
        "El técnico vino siete semanas después [2].",
        "¿Costó la inyección de Trufa 142 euros? No [1].",
    ],
)
def test_what_a_source_does_not_say_is_not_supported(text: str) -> None:
    assert [is_supported for _, is_supported in verdicts(text)] == [False]


WALK = "El martes anduve los dos kilómetros hasta el faro, dormí durante horas y rehíce el plan de octubre."


@pytest.mark.parametrize(
    ("word", "other"),
    [("martes", "lunes"), ("kilómetros", "metros"), ("horas", "días"), ("octubre", "marzo"), ("octubre", "mayo")],
)
def test_another_word_of_the_same_kind_is_another_measure_though_the_notes_date_has_it(word: str, other: str) -> None:
    notes = [source(1, WALK)]  # dated the first of March

    assert verdicts(f"{WALK[:-1]} [1].", notes) == [(1, True)]
    assert verdicts(f"{WALK[:-1]} [1].".replace(word, other), notes) == [(1, False)]


@pytest.mark.parametrize(
    "text",
    [
        "En marzo anduve los dos kilómetros hasta el faro [1].",
        "El martes anduve los dos kilómetros hasta el faro, y al día siguiente dormí durante horas [1].",
    ],
)
def test_a_month_or_a_unit_beside_those_that_are_said_contradicts_nothing(text: str) -> None:
    notes = [source(1, "El martes anduve los dos kilómetros hasta el faro, y después dormí durante horas.")]

    (citation,) = checked(text, notes).citations

    assert citation.is_supported


def test_what_is_denied_in_other_words_needs_a_denial_in_the_evidence() -> None:
    claim = "La caldera de Sueca no pudo arrancar bien [1]."

    assert verdicts(claim, [source(1, "La caldera de Sueca arrancó bien.")]) == [(1, False)]
    assert verdicts(claim, [source(1, "La caldera de Sueca no arrancó bien.")]) == [(1, True)]


def test_a_figure_counts_where_it_counts_the_same_thing() -> None:
    sources = [source(1, "Forzó 5 balones sueltos e interceptó 4 pases en la final.")]

    assert verdicts("Forzó 5 balones sueltos e interceptó 5 pases en la final [1].", sources) == [(1, False)]
    assert verdicts("Forzó 5 balones sueltos e interceptó 4 pases en la final [1].", sources) == [(1, True)]


@pytest.mark.parametrize(
    ("language", "original", "true", "false"),
    [
        ("de", "Anna Schmidt zahlt die Rechnung nicht.", "Anna Schmidt zahlt nicht [1].", "Anna Schmidt zahlt [1]."),
        ("de", "Der Zug nach Berlin fährt um 9.", "Ein Zug nach Berlin fährt um neun [1].", "Ein Zug nach Wien fährt um 9 [1]."),
        ("en", "The boiler did not start on May 3.", "On May 3 the boiler didn't start [1].", "The boiler did start on May 3 [1]."),
    ],
)  # fmt: skip
def test_every_language_has_figures_names_and_negations(language, original, true, false) -> None:
    sources = [source(1, original, language=language)]

    assert verdicts(true, sources, language) == [(1, True)]
    assert verdicts(false, sources, language) == [(1, False)]


@pytest.mark.parametrize(
    ("language", "original", "true", "false"),
    [
        ("es", "El fontanero vino el martes.", "El fontanero vino el martes [1].", "El fontanero vino el miércoles [1]."),
        ("de", "Der Klempner kam am Dienstag.", "Der Klempner kam am Dienstag [1].", "Der Klempner kam am Mittwoch [1]."),
        ("en", "The plumber came on Tuesday.", "The plumber came on Tuesday [1].", "The plumber came on Friday [1]."),
        ("es", "La casa costó 40.000 euros.", "La casa costó 40 mil euros [1].", "La casa costó 40 euros [1]."),
        ("de", "Das Haus kostete 40.000 Euro.", "Das Haus kostete vierzig Tausend Euro [1].", "Das Haus kostete fünfzig Euro [1]."),
        ("de", "Das Haus kostete 40.000 Euro.", "Es kostete vierzigtausend Euro [1].", "Das Haus kostete fünfzigtausend Euro [1]."),
        ("de", "Das Haus kostete 1.900 Euro.", "Das Haus kostete 1900 Euro [1].", "Das Haus kostete tausendsiebenhundert Euro [1]."),
        ("es", "Costó 250.000 pesos.", "Costó doscientos cincuenta mil pesos [1].", "Costó doscientos mil pesos [1]."),
        ("es", "La bomba costó 183 euros.", "Costó ciento ochenta y tres euros [1].", "Costó ciento noventa y tres euros [1]."),
        ("en", "The pump cost 2,325 euros.", "Two thousand three hundred and twenty-five euros [1].", "Two thousand euros [1]."),
        ("de", "Das Haus kostete 250 Euro.", "Das Haus kostete 250 € [1].", "Das Haus kostete zweihundertfünfzig Dollar [1]."),
        ("en", "The house sold for 40,000 pounds.", "The house sold for 40 thousand pounds [1].", "The house sold for a million [1]."),
        ("en", "The winter was very dry.", "The winter was very dry [1].", "The winter was hardly dry [1]."),
        ("de", "Der Winter war trocken und kalt.", "Der Winter war trocken [1].", "Der Winter war kaum trocken [1]."),
        ("es", "Subió un 12,5 por ciento en marzo.", "Subió un 12,5 % en marzo [1].", "Subió 12,5 euros en marzo [1]."),
        ("en", "Rent takes 30 percent.", "Rent takes 30% [1].", "Rent takes 30 dollars [1]."),
        ("es", "Ganó 1,5 millones de euros.", "Ganó 1.500.000 euros [1].", "Ganó 1,5 euros [1]."),
    ],
)  # fmt: skip
def test_days_multiples_and_units_are_of_the_figure(language, original, true, false) -> None:
    sources = [source(1, original, language=language)]

    assert verdicts(true, sources, language) == [(1, True)]
    assert verdicts(false, sources, language) == [(1, False)]


def test_what_follows_the_last_mark_is_a_claim_of_its_own() -> None:
    result = checked("La inyección costó 142 euros [1] y el perro murió.")

    assert [(result.text[slice(*one.claim)], one.is_supported) for one in result.citations] == [
        ("La inyección costó 142 euros", True)
    ]
    assert [result.text[slice(*span)] for span in result.uncited] == ["y el perro murió."]
    assert groundedness_of(result) == 0.5


def test_what_follows_the_last_mark_stays_uncited_whatever_a_judge_says_of_the_rest() -> None:
    result = checked("La inyección costó 142 euros [1] y el perro murió.", judge=Judge(True))

    assert [result.text[slice(*span)] for span in result.uncited] == ["y el perro murió."]


def test_the_evidence_is_the_sentence_as_it_stands_in_the_note() -> None:
    note = "x" * 40 + VET

    (citation,) = checked("La inyección costó 142 euros [N1].").citations

    assert citation.quote == "La inyección de Trufa costó 142 euros."
    assert note[slice(*citation.evidence)] == citation.quote
    assert citation.support == 1
    assert citation.verified_by == "lexical"


def test_where_nothing_comes_near_there_is_no_evidence() -> None:
    (citation,) = checked("El alcalde inauguró un puente nuevo [2].").citations

    assert (citation.evidence, citation.quote, citation.support) == (None, "", 0)


def test_each_mark_of_a_sentence_is_cited_for_what_stands_before_it() -> None:
    result = checked("Nora lloraba en la sala [1] y la caldera no arrancó [2].")

    assert [result.text[slice(*one.claim)] for one in result.citations] == [
        "Nora lloraba en la sala",
        "y la caldera no arrancó [2].",
    ]
    assert [one.is_supported for one in result.citations] == [True, True]


def test_a_sentence_that_begins_with_marks_cites_them_for_what_follows() -> None:
    assert verdicts("[1] Nora lloraba en la sala y [2] la caldera no arrancó.") == [(1, True), (2, True)]
    assert verdicts("[1] Nora lloraba en la sala.\n[2] La caldera no arrancó.") == [(1, True), (2, True)]


def test_two_sources_may_say_together_what_neither_says_alone() -> None:
    both = "La inyección de Trufa costó 142 euros y en Sueca llovió el 3 de mayo"

    assert verdicts(f"{both} [1, 2].") == verdicts(f"{both} [1][2].") == [(1, True), (2, True)]
    assert verdicts(f"{both} [1].") == [(1, False)]


def test_a_source_that_adds_nothing_is_not_supported_by_its_neighbour() -> None:
    assert verdicts("La inyección de Trufa costó 142 euros [1, 2].") == [(1, True), (2, False)]


def test_of_sources_cited_together_those_hold_that_are_needed() -> None:
    sources = [*SOURCES, source(3, "La inyección de Trufa fue de noche.")]
    both = "La inyección de Trufa costó 142 euros y la caldera no arrancó en Sueca"

    assert verdicts(f"{both} [1, 2, 3].", sources) == [(1, True), (2, True), (3, False)]


def test_the_date_and_the_title_of_a_note_may_be_said() -> None:
    assert verdicts("El 1 de marzo de 2025 la inyección de Trufa costó 142 euros [1].") == [(1, True)]


def test_across_languages_figures_and_names_decide_and_support_is_low() -> None:
    sources = [source(1, "Trufa's injection at Sueca cost 142 euros.", language="en")]

    (held,) = checked("En Sueca pagamos 142 por Trufa [1].", sources).citations
    (other,) = checked("En Sueca pagamos 140 por Trufa [1].", sources).citations
    (bare,) = checked("Pagamos la inyección [1].", sources).citations

    assert (held.is_supported, held.support) == (True, 0.5)
    assert (other.is_supported, bare.is_supported) == (False, False)


def test_a_quotation_in_the_language_of_its_source_is_read_in_that_language() -> None:
    sources = [source(1, "The boiler in the cellar did not start.", language="en")]

    assert verdicts("The boiler in the cellar did not start [1].", sources, "es") == [(1, True)]


def test_an_empty_answer_is_an_empty_text() -> None:
    assert checked("") == CheckedText(text="", citations=(), uncited=(), removed=0)


def test_without_sources_every_mark_goes() -> None:
    assert checked("Llovió [1]. Nevó [Quelle: Nieve].", []).text == "Llovió. Nevó."


def test_a_mark_behind_the_full_stop_is_of_the_sentence_before() -> None:
    assert verdicts("La caldera no arrancó. [2] Nora lloraba en la sala. [1]") == [(2, True), (1, True)]


def test_sentences_come_as_soon_as_the_next_has_begun() -> None:
    bits = iter(["Nora llo", "raba. ", "[1", "] La caldera", " no arrancó hoy. ", "[2]"])
    sentences = cut_sentences(bits, "es")

    assert next(sentences) == "Nora lloraba. [1] "
    assert next(bits) == "[2]"
    assert list(sentences) == ["La caldera no arrancó hoy. "]


@pytest.mark.parametrize("begun", ["[Quelle: Ein langer Titel, der", "[Quelle: Informe final. Parte segunda"])
def test_a_sentence_is_not_cut_where_a_mark_has_begun(begun: str) -> None:
    bits = ["Nora lloraba en la sala. ", begun, " geht] Y la caldera no arrancó."]

    assert next(cut_sentences(iter(bits), "es")) == f"Nora lloraba en la sala. {begun} geht] "


def test_sentences_checked_one_by_one_are_the_answer() -> None:
    text = "Nora lloraba en la sala [1]. La caldera no arrancó. [2] ¿Y qué? El puente [9]."
    read = read_sources(SOURCES)

    parts = [check_sentence(text[start:end], read, language="es") for start, end in answer_sentences(text, "es")]

    assert joined(parts) == checked(text)


@pytest.mark.parametrize(
    ("note", "text", "quote"),
    [
        (
            "## Cosas que no hay que olvidar\n\nLlevar el pasaporte. Y ropa.",
            "Cosas que no hay que olvidar: Llevar el pasaporte [1].",
            "## Cosas que no hay que olvidar\n\nLlevar el pasaporte.",
        ),
        ("# Lunes\n\nEl martes vamos al médico.", "Lunes: El martes vamos al médico [1].", None),
        ("# Sin gluten\n\n## Pan\n\nHarina y agua.", "Sin gluten: Pan: Harina y agua [1].", None),
        ("Para cinco:\n- 500 g de arroz\n- sal", "Para cinco: 500 g de arroz [1].", "Para cinco:\n- 500 g de arroz"),
        ("Costó **12 euros** [3].", "Costó 12 euros [1].", None),
        ("Dijo que nada. Nada más.", "Nada más [1].", "Nada más."),
    ],
)
def test_whole_sentences_quoted_word_for_word_are_supported_by_themselves(
    note: str, text: str, quote: str | None
) -> None:
    (citation,) = checked(text, (source(1, note),), "es").citations

    assert (citation.is_supported, citation.support, citation.quote) == (True, 1.0, quote or note)


@pytest.mark.parametrize("text", ["Pagué la multa [1].", "Multa: Pagué la multa [1]."])
def test_a_part_of_a_sentence_is_no_quotation(text: str) -> None:
    (citation,) = checked(text, (source(1, "# Multa\n\nNo pagué la multa. Y luego fui a casa."),), "es").citations

    assert not citation.is_supported


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("Costó 500 €.", "Costó 500 $."),
        ("Hubo -5 grados.", "Hubo 5 grados."),
        ("Mide 1,5 m.", "Mide 15 m."),
        ("Subió un 3 %.", "Subió un 3 €."),
    ],
)
def test_another_figure_sign_or_unit_is_no_quotation(note: str, text: str) -> None:
    read = read_source(source(1, note))

    assert quoted_span(note, read) == (0, len(note))
    assert quoted_span(text, read) is None
