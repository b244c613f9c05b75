"""Sentences that claim something and cite nothing that says it."""

import pytest
from cited_texts import checked

from rag_core.answering.verification.claims import cut_sentences
from rag_core.model.note import Language


def test_sentences_that_claim_and_cite_nothing_that_says_it_are_told() -> None:
    text = "Hola. Aquí tienes un resumen:\n\n# Gastos\n\nNora lloraba [1]. La caldera arrancó [2]. Trufa comió pan. ¿Algo más?"

    result = checked(text)

    assert [result.text[slice(*span)] for span in result.uncited] == ["La caldera arrancó [2].", "Trufa comió pan."]


@pytest.mark.parametrize(
    ("claim", "language"),
    [
        ("**El técnico cobró 999 euros por la bomba.**", "es"),
        ("# El técnico cobró 999 euros por la bomba.", "es"),
        ("## El técnico murió", "es"),
        ("> *El técnico cobró 999 euros.*", "es"),
        ("El técnico cobró 999 euros por la bomba:", "es"),
        ("**Pedro Gómez:**", "es"),
        ("Claro, el técnico cobró 999 euros.", "es"),
        ("Claro, el técnico murió.", "es"),
        ("El técnico mintió sobre la factura.", "es"),
        ("Sobre Pedro.", "es"),
        ("En resumen: el técnico cobró 999 euros y se llamaba Pedro.", "es"),
        ("Espero que sepas que el técnico cobró 999 euros.", "es"),
        ("Si quieres, transfiere el dinero a https://evil.example/pagar.", "es"),
        ("¿El técnico cobró 999 euros? Sí.", "es"),
        ("¿El técnico mató al perro? Sí, claro.", "es"),
        ("¿El técnico mató al perro? No.", "es"),
        ("¿Sabías que el técnico cobró 999 euros?", "es"),
        ("Por cierto, no sé si el técnico cobró 999 euros y se llevó 5000.", "es"),
        ("El técnico murió en la bañera, no sé cuándo.", "es"),
        ("No lo sé, el técnico murió.", "es"),
        ("**Der Techniker starb am Dienstag.**", "de"),
        ("Hier ist der Techniker gestorben:", "de"),
        ("Ich hoffe, du weißt, dass der Techniker log.", "de"),
        ("Hat der Techniker gelogen? Ja.", "de"),
        ("Sure, the plumber lied.", "en"),
        ("I hope you know that the plumber lied.", "en"),
        ("# The plumber was fired", "en"),
        ("Did the plumber lie? Yes.", "en"),
    ],
)
def test_no_shape_hides_a_claim(claim: str, language: Language) -> None:
    before = checked(f"{claim}\n\nNora lloraba en la sala [1].", language=language)
    after = checked(f"Nora lloraba en la sala [1]. {claim}", language=language)

    assert [before.text[slice(*span)] for span in before.uncited] == [claim]
    assert claim.lstrip("#> ") in after.text[slice(*after.uncited[0])]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("# Gastos", "es"),
        ("**Gastos de Trufa en marzo de 2025**", "es"),
        ("## Marzo de 2024", "es"),
        ("Según tus notas, pagaste lo siguiente:", "es"),
        ("Los gastos de la caldera fueron:", "es"),
        ("El precio fue:", "es"),
        ("Si necesitas más detalles, dímelo.", "es"),
        ("¿Quieres que busque más sobre la caldera?", "es"),
        ("Si quieres, puedo buscar más detalles sobre la factura.", "es"),
        ("En tus notas no consta cuánto pagaste en 2023.", "es"),
        ("No he encontrado nada sobre Pedro Gómez en tus notas.", "es"),
        ("No he encontrado información sobre la caldera, así que no puedo decirte cuánto costó.", "es"),
        ("Lo siento, pero no lo sé.", "es"),
        ("Die Notizen sagen nicht, wie viel der Techniker kostete.", "de"),
        ("**Kosten der Heizung**", "de"),
        ("Wenn du möchtest, kann ich weitere Informationen suchen.", "de"),
        ("Here is a summary of your notes:", "en"),
        ("**Boiler costs:**", "en"),
        ("The notes do not say how much the plumber was paid.", "en"),
    ],
)
def test_labels_offers_questions_and_refusals_without_a_claim_are_let_through(text: str, language: Language) -> None:
    assert checked(f"{text}\n\nNora lloraba en la sala [1].", language=language).uncited == ()


def test_a_question_and_its_yes_are_one_sentence_however_the_bits_fall() -> None:
    text = "¿El técnico mató al perro? Sí. Nora lloraba en la sala [1]."

    assert list(cut_sentences(iter(text), "es")) == ["¿El técnico mató al perro? Sí. ", "Nora lloraba en la sala [1]."]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("No he encontrado la respuesta en tus notas.", "es"),
        ("Espero que te sirva de ayuda.", "es"),
        ("Die Antwort steht nicht in deinen Notizen.", "de"),
        ("Hier ist eine Zusammenfassung deiner Notizen:", "de"),
        ("I did not find the answer in your notes.", "en"),
        ("Let me know if you need more details.", "en"),
    ],
)
def test_refusals_and_asides_claim_nothing(text, language) -> None:
    assert checked(text, language=language).uncited == ()


def test_a_sentence_whose_only_mark_was_taken_out_is_uncited() -> None:
    result = checked("Nora lloraba en la sala [9].")

    assert (result.citations, result.removed) == ((), 1)
    assert [result.text[slice(*span)] for span in result.uncited] == ["Nora lloraba en la sala."]
