from dataclasses import replace

import pytest
from builders import make_citation
from growth import MOST_GROWTH, growth

from rag_core.answering.finishing import OutgoingGate, finish
from rag_core.answering.verification.citations import parse_citations
from rag_core.chunking import count_tokens
from rag_core.language.languages import language_of
from rag_core.model.answer import CheckedText

LONG_SENTENCE = "La lluvia cayó durante toda la tarde sobre los tejados rojos del pueblo [1]. "


def checked(text: str, *, quote: str = "", uncited=()) -> CheckedText:
    """A text whose marks are its citations, each with all before it as its claim."""
    return CheckedText(
        text=text,
        citations=tuple(
            make_citation(number=number, mark=citation.span, claim=(0, citation.span[0]), quote=quote)
            for citation in parse_citations(text)
            for number in citation.numbers
        ),
        uncited=tuple(uncited),
        removed=0,
    )


def finished(text: CheckedText | str, **options):
    given = checked(text) if isinstance(text, str) else text
    return finish(given, **{"language": "es", "policy": "redact", **options})


def test_what_must_not_be_shown_is_hidden_and_every_span_moves_with_it() -> None:
    text = "Su correo es a@b.example [1]. Nadie lo sabe."

    answer = finished(checked(text, uncited=[(30, 44)]))

    assert answer.checked.text == "Su correo es ‹correo oculto› [1]. Nadie lo sabe."
    (citation,) = answer.checked.citations
    assert answer.checked.text[slice(*citation.mark)] == "[1]"
    assert answer.checked.text[slice(*citation.claim)] == "Su correo es ‹correo oculto› "
    assert answer.checked.text[slice(*answer.checked.uncited[0])] == "Nadie lo sabe."


def test_a_citations_quote_stays_what_its_note_says() -> None:
    answer = finished(checked("Su correo es a@b.example [1].", quote="El correo de Ana es a@b.example."))

    assert answer.checked.citations[0].quote == "El correo de Ana es a@b.example."


@pytest.mark.parametrize("piece", ["[1] y ", "[1]", "Llovió. [1] ", "a@b.example [1] y ", "Uno. Dos [1].\n\n"])
def test_an_answer_of_nothing_but_marks_is_finished_in_time(piece: str) -> None:
    answers = []

    assert (
        growth(lambda text: answers.append(finished(checked(text))), piece, characters=14_000 * len(piece))
        < MOST_GROWTH
    )

    answer = max(answers, key=lambda finished: len(finished.checked.text))
    assert answer.is_cut
    assert all(answer.checked.text[slice(*citation.mark)] == "[1]" for citation in answer.checked.citations)


@pytest.mark.parametrize(
    ("policy", "text", "warnings"),
    [
        ("redact", "Su correo es ‹correo oculto›.", ("Se han ocultado datos personales en la respuesta.",)),
        ("warn", "Su correo es a@b.example.", ("La respuesta contiene datos personales.",)),
        ("off", "Su correo es a@b.example.", ()),
    ],
)
def test_the_policy_decides_what_happens_to_what_is_found(policy, text, warnings) -> None:
    answer = finished("Su correo es a@b.example.", policy=policy)

    assert (answer.checked.text, answer.warnings("es")) == (text, warnings)


def test_secrets_are_told_of_by_themselves() -> None:
    assert finished("La contraseña es hunter2.").warnings("es") == (
        "Se han ocultado contraseñas o claves en la respuesta.",
    )


def test_an_answer_that_is_held_too_little_says_so_at_its_end() -> None:
    answer = finished("Llovió [1].", groundedness=0.5)

    assert answer.checked.text == f"Llovió [1].\n\n{language_of('es').messages.disclaimer}"
    assert answer.disclaimer == language_of("es").messages.disclaimer
    assert answer.checked.citations == checked("Llovió [1].").citations


@pytest.mark.parametrize(
    "options", [{"groundedness": 0.7}, {"groundedness": None}, {"groundedness": 0.0, "is_refusal": True}]
)
def test_what_is_held_and_what_refuses_has_no_disclaimer(options) -> None:
    answer = finished("No he encontrado la respuesta en tus notas.", **options)

    assert answer.disclaimer is None
    assert answer.checked.text == "No he encontrado la respuesta en tus notas."


def test_a_long_answer_is_cut_at_a_sentence_with_room_for_the_disclaimer() -> None:
    answer = finished(LONG_SENTENCE * 40, groundedness=0.1, max_tokens=200)

    body = answer.checked.text.removesuffix(f"\n\n{language_of('es').messages.disclaimer}")
    assert count_tokens(answer.checked.text) <= 200
    assert body.endswith("pueblo [1].")
    assert answer.is_cut
    assert answer.warnings("es") == ("La respuesta se ha acortado por su longitud.",)
    assert [answer.checked.text[slice(*citation.mark)] for citation in answer.checked.citations] == [
        "[1]"
    ] * body.count("[1]")


def test_a_gate_lets_out_sentence_by_sentence_what_may_be_shown() -> None:
    gate = OutgoingGate(language="es", policy="redact")

    first, second = gate.let_out(checked("Su correo es a@b.example [1]. ")), gate.let_out(checked("Vive allí [2]."))

    assert (first.text, second.text) == ("Su correo es ‹correo oculto› [1]. ", "Vive allí [2].")
    assert first.text[slice(*first.citations[0].mark)] == "[1]"
    assert [finding.kind for finding in gate.findings] == ["email"]


def test_a_secret_that_begins_in_one_sentence_is_hidden_in_the_next() -> None:
    gate = OutgoingGate(language="es", policy="redact")

    shown = [gate.let_out(checked(part)).text for part in ("La contraseña del wifi: ", "girasol. ", "Y ya está.")]

    assert shown == ["La contraseña del wifi: ", "‹contraseña oculta›. ", "Y ya está."]


def test_a_private_key_is_hidden_to_its_end_however_it_is_cut() -> None:
    gate = OutgoingGate(language="es", policy="redact")
    lines = [
        "Clave:\n",
        "-----BEGIN PRIVATE KEY-----\n",
        *["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n"] * 40,
        "-----END PRIVATE KEY-----\n",
        "Fin.",
    ]

    shown = "".join(gate.let_out(checked(line)).text for line in lines)

    assert "MIIE" not in shown
    assert shown.endswith("Fin.")


def test_a_gate_closes_when_the_answer_is_long_enough_and_stays_closed() -> None:
    gate = OutgoingGate(language="es", policy="warn", max_tokens=120)

    shown = [gate.let_out(checked(LONG_SENTENCE)) for _ in range(20)]

    count = sum(part is not None for part in shown)
    assert 0 < count < 20
    assert all(part is None for part in shown[count:])
    assert gate.is_cut
    assert gate.let_out(checked("Sí.")) is None


def test_what_a_gate_hid_is_told_when_the_answer_is_finished() -> None:
    gate = OutgoingGate(language="es", policy="redact")
    part = gate.let_out(checked("Su correo es a@b.example [1]."))

    answer = finished(part, gate=gate)

    assert answer.checked == replace(part)
    assert answer.warnings("es") == ("Se han ocultado datos personales en la respuesta.",)
