"""Statements that the rules read in Spanish, German and English, and those they leave alone."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from properties.strategies import spanish_text

from rag_core.chunking import sentence_spans
from rag_core.graph.rules import extract_causal_relations
from rag_core.graph.statements import CausalStatement
from rag_core.model.note import Language


def read(text: str, language: Language = "es") -> list[CausalStatement]:
    return extract_causal_relations(text, language=language, sentences=sentence_spans(text, language))


def told(text: str, language: Language = "es") -> list[tuple[str, str, str]]:
    return [(text[slice(*s.cause)], s.kind, text[slice(*s.effect)]) for s in read(text, language)]


STATED: list[tuple[Language, str, tuple[str, str, str]]] = [
    ("es", "No dormí bien porque tomé café por la tarde.", ("tomé café por la tarde", "CAUSES", "No dormí bien")),
    ("es", "Llegué tarde por no haber dormido bien.", ("no haber dormido bien", "CAUSES", "Llegué tarde")),
    ("es", "El ruido de las obras, que no cesa, me provoca migrañas.", ("ruido de las obras", "CAUSES", "migrañas")),
    (
        "es",
        "La tormenta que cayó en junio provocó un apagón que duró mucho.",
        ("tormenta que cayó en junio", "CAUSES", "apagón"),
    ),
    ("es", "El gas es venenoso para las bacterias que causan la fiebre.", ("bacterias", "CAUSES", "fiebre")),
    ("es", "Se rompió la tubería, provocando una inundación.", ("Se rompió la tubería", "CAUSES", "inundación")),
    ("es", "Se fue la luz, lo que causó la pérdida del pescado.", ("Se fue la luz", "CAUSES", "pérdida del pescado")),
    ("es", "El calor desencadenó una crisis.", ("calor", "TRIGGERS", "crisis")),
    ("es", "El calor disparó la alarma del punto 6.", ("calor", "TRIGGERS", "alarma del punto 6")),
    ("es", "El estrés lleva a dormir poco.", ("estrés", "LEADS_TO", "dormir poco")),
    ("es", "La falta de riego dio lugar a una plaga.", ("falta de riego", "LEADS_TO", "plaga")),
    ("es", "La discusión acabó en bronca.", ("discusión", "LEADS_TO", "bronca")),
    ("es", "La inundación se debe a la resina defectuosa.", ("resina defectuosa", "CAUSES", "inundación")),
    ("es", "El corte fue causado por un cangrejo.", ("cangrejo", "CAUSES", "corte")),
    ("es", "Debido a la lluvia, el partido se aplazó.", ("lluvia", "CAUSES", "partido se aplazó")),
    ("es", "Debido a la lluvia se aplazó el partido.", ("lluvia", "CAUSES", "se aplazó el partido")),
    ("es", "No salí a correr por culpa de la rodilla.", ("rodilla", "CAUSES", "No salí a correr")),
    ("es", "Como no sonó el despertador, perdí el tren.", ("no sonó el despertador", "CAUSES", "perdí el tren")),
    ("es", "Estaba agotada, así que me acosté a las nueve.", ("Estaba agotada", "CAUSES", "me acosté a las nueve")),
    ("es", "No había luz, por lo que cenamos fuera.", ("No había luz", "CAUSES", "cenamos fuera")),
    ("es", "La causa de la avería fue un cable mordido.", ("cable mordido", "CAUSES", "avería")),
    ("es", "La subida hizo que el Sr. Gómez usara otra resina.", ("subida", "CAUSES", "Sr. Gómez usara otra resina")),
    ("es", "Cada vez que tomo café tarde, me despierto.", ("tomo café tarde", "TRIGGERS", "me despierto")),
    (
        "es",
        "Bajó la basura, a las once, porque de día le da apuro.",
        ("de día le da apuro", "CAUSES", "Bajó la basura, a las once"),
    ),
    (
        "es",
        "Le subió la fiebre (39,5), por lo que llamamos al médico.",
        ("Le subió la fiebre", "CAUSES", "llamamos al médico"),
    ),
    ("de", "Ich schlief schlecht, weil der Hund bellte.", ("Hund bellte", "CAUSES", "Ich schlief schlecht")),
    ("de", "Da es regnete, fiel das Spiel aus.", ("es regnete", "CAUSES", "fiel das Spiel aus")),
    ("de", "Der Stau löste eine Verspätung aus.", ("Stau", "TRIGGERS", "Verspätung")),
    ("de", "Der Sturm hat den Stromausfall verursacht.", ("Sturm", "CAUSES", "Stromausfall")),
    ("de", "Schlafmangel führt zu Migräne.", ("Schlafmangel", "LEADS_TO", "Migräne")),
    ("de", "Der Ausfall wurde durch einen Krebs verursacht.", ("Krebs", "CAUSES", "Ausfall")),
    ("en", "I slept badly because I had coffee late.", ("I had coffee late", "CAUSES", "I slept badly")),
    ("en", "Because of the storm, the train was late.", ("storm", "CAUSES", "train was late")),
    ("en", "Lack of sleep leads to migraines.", ("Lack of sleep", "LEADS_TO", "migraines")),
    ("en", "The outage was caused by a crab.", ("crab", "CAUSES", "outage")),
    ("en", "The storm triggered the alarm.", ("storm", "TRIGGERS", "alarm")),
    ("en", "The alarm did not ring, so I missed the bus.", ("alarm did not ring", "CAUSES", "I missed the bus")),
]
UNSTATED: list[tuple[Language, str]] = [
    ("es", "El café no provoca migrañas."),
    ("es", "El café nunca me ha provocado migrañas."),
    ("es", "Nada provocó el fallo."),
    ("es", "¿El café provoca migrañas?"),
    ("es", "Si no duermo, el café me provoca migrañas."),
    ("es", "Por la noche leo y por la tarde paseo por el parque."),
    ("es", "Julio lleva a Nora al colegio y la calle acaba en la plaza."),
    ("es", "Me llevó a ver la puesta de sol."),
    ("es", "Se trata de un caso de probable causa metabólica."),
    ("es", "La fundación se produjo en el año 1817."),
    ("es", "Como siempre, cenamos a las diez."),
    ("es", "Como antecedentes de interés, un cuadro de colitis."),
    ("es", "Por lo que veo, mañana llueve."),
    ("es", "A lo mejor tengo que darle las gracias al colector."),
    ("es", "Lo apunto porque me conozco."),
    ("es", "Las líneas son, por lo tanto, las subsecciones de la anterior."),
    ("es", "No fui, no porque lloviera."),
    ("es", "Eso provocó una inundación."),
    ("de", "Kaffee verursacht keine Migräne."),
    ("de", "Ist das wegen des Regens passiert?"),
    ("en", "Coffee does not cause migraines."),
    ("en", "If you sleep badly, it causes trouble."),
]


@pytest.mark.parametrize(("language", "text", "expected"), STATED, ids=[text for _, text, _ in STATED])
def test_a_sentence_is_read_as_cause_kind_and_effect(
    language: Language, text: str, expected: tuple[str, str, str]
) -> None:
    assert told(text, language) == [expected]


@pytest.mark.parametrize(("language", "text"), UNSTATED, ids=[text for _, text in UNSTATED])
def test_what_is_denied_asked_supposed_or_only_looks_causal_is_left_alone(language: Language, text: str) -> None:
    assert told(text, language) == []


def test_a_sentence_may_say_several_things() -> None:
    text = "Se va a llamar Marjal porque a Rosa le suena a agua y porque a Inés le gusta."

    assert told(text) == [
        ("a Rosa le suena a agua", "CAUSES", "Se va a llamar Marjal"),
        ("a Inés le gusta", "CAUSES", "Se va a llamar Marjal"),
    ]


@pytest.mark.parametrize("second", ["Por eso se inundó el sótano.", "Eso provocó que se inundó el sótano."])
def test_a_word_that_points_back_means_the_sentence_before_and_both_are_the_evidence(second: str) -> None:
    text = f"Ayer comimos fuera. Llovió toda la noche. {second}"

    (statement,) = read(text)

    assert text[slice(*statement.cause)] == "Llovió toda la noche"
    assert text[slice(*statement.evidence)] == f"Llovió toda la noche. {second}"


def test_a_word_that_points_back_means_what_the_sentence_before_led_to() -> None:
    text = "La tormenta provocó un apagón. Eso causó un incendio."

    assert told(text) == [("tormenta", "CAUSES", "apagón"), ("apagón", "CAUSES", "incendio")]


def test_a_word_that_points_back_over_a_line_break_or_to_a_question_is_left_alone() -> None:
    assert told("Llovió toda la noche.\n\nPor eso se inundó el sótano.") == []
    assert told("¿Llovió toda la noche? Por eso se inundó el sótano.") == []


def test_a_second_reason_in_a_sentence_of_its_own_has_what_it_explains_in_its_evidence() -> None:
    text = "Se cayó el estante del pasillo. Porque pesaba demasiado el jarrón. Porque faltaba un tornillo."

    statements = read(text)

    assert [text[slice(*one.effect)] for one in statements] == ["Se cayó el estante del pasillo"] * 2
    assert [one.evidence for one in statements] == [(0, 66), (0, len(text))]


def test_what_is_hedged_or_pointed_at_counts_less() -> None:
    plain, hedged = read("El café me provoca migrañas."), read("Creo que el café me provoca migrañas.")
    pointed = read("Tomé mucho café. Eso provocó una migraña.")

    assert plain[0].confidence == 0.9
    assert hedged[0].confidence == pytest.approx(0.63)
    assert pointed[0].confidence == pytest.approx(0.72)


def test_the_evidence_is_the_sentence() -> None:
    text = "  Hola.  La tormenta provocó un apagón. Adiós."

    (statement,) = read(text)

    assert text[slice(*statement.evidence)] == "La tormenta provocó un apagón."


def test_a_long_side_is_cut_near_its_cue() -> None:
    text = f"Perdí el tren porque {'muy '.join(['llovía '] * 30)}."

    (statement,) = read(text)

    assert len(text[slice(*statement.cause)].split()) <= 14


def test_a_sentence_too_long_to_be_read_as_one_states_nothing() -> None:
    ending = " por la noche" * 50

    assert told("La tormenta provocó el apagón.") != []
    assert told(f"La tormenta provocó el apagón{ending}.") == []


def test_of_a_long_text_the_first_two_hundred_statements_are_read() -> None:
    text = " ".join(f"La tormenta {number} provocó el apagón {number}." for number in range(300))

    found = told(text)

    assert len(found) == 200
    assert found[-1] == ("tormenta 199", "CAUSES", "apagón 199")


def test_a_german_frame_is_found_over_a_line_break() -> None:
    assert told("Der Ausfall wurde durch\nden alten Sensor verursacht.", "de") == [
        ("alten Sensor", "CAUSES", "Ausfall")
    ]


def test_no_sentences_give_no_statements() -> None:
    assert extract_causal_relations("", language="es", sentences=[]) == []


CUES = ("porque", "así que", "provoca", "se debe a", "por eso", "debido a", "como", "hizo que", "no", "?", "por lo que")


@given(
    text=spanish_text(min_blocks=1), cues=st.lists(st.sampled_from(CUES), min_size=1, max_size=6), where=st.randoms()
)
@example(text='Casa." Perro B\x1f(Casa." \n\n', cues=["porque."], where=random.Random(3))
@settings(max_examples=200, deadline=None)
def test_sides_and_evidence_are_spans_of_the_text_and_confidence_is_a_share(
    text: str, cues: list[str], where: object
) -> None:
    words = text.split(" ")
    for cue in cues:
        words.insert(where.randint(0, len(words)), cue)
    written = " ".join(words)

    for statement in read(written):
        start, end = statement.evidence
        assert 0 <= start < end <= len(written)
        for side in (statement.cause, statement.effect):
            assert start <= side[0] < side[1] <= end
            assert written[slice(*side)] == written[slice(*side)].strip()
        assert 0 < statement.confidence <= 1
        assert written[slice(*statement.cause)].casefold() != written[slice(*statement.effect)].casefold()


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("No dormí nada porque tomé tres cafés.", "tomé tres cafés", "No dormí nada"),
        ("El ruido de los vecinos causa mi insomnio.", "ruido de los vecinos", "insomnio"),
        ("El polvo causa alergia.", "polvo", "alergia"),
    ],
)
def test_what_was_not_at_all_and_what_is_ones_own_has_causes_too(text, cause, effect) -> None:
    (statement,) = extract_causal_relations(text, language="es", sentences=sentence_spans(text, "es"))

    assert (text[slice(*statement.cause)], text[slice(*statement.effect)]) == (cause, effect)


@pytest.mark.parametrize(
    "text", ["Nada provoca más ruido.", "Es la causa de mi insomnio.", "Hizo causa común con ellos."]
)
def test_a_noun_and_a_nothing_cause_nothing(text) -> None:
    assert extract_causal_relations(text, language="es", sentences=sentence_spans(text, "es")) == []
