"""Lines "label: value": quoted alone, and evidence enough, where their label is asked for and nothing else."""

from dataclasses import replace

import pytest
from quoting_texts import reading, source, texts

from rag_core.answering.evidence import evidence_features, evidence_score
from rag_core.answering.quoting.openings import label_of
from rag_core.answering.quoting.selection import Quotation, quote
from rag_core.answering.quoting.sentence_scores import FIELD
from rag_core.chunking import sentence_spans
from rag_core.model.answer import Source
from rag_core.model.note import Language

FLAT = "El contrato se renueva en marzo.\n\ncasera: Pilar Gómez\ntelefono: 612 345 678"
CAR = "- Seguro: Mapfre, 412 €\n- ITV: 12 de mayo\n- Matrícula: 4821 KLM"


def far(text: str, *, title: str | None = None, number: int = 1) -> Source:
    """A source whose sentences are all too far from any question to be evidence."""
    note = replace(source(text, number=number), title=title)
    return replace(note, likeness=tuple((span, 0.8) for span in sentence_spans(text, "es")))


def asked(question: str, *notes: Source, language: Language = "es") -> Quotation:
    return quote(question, reading(*notes), language=language)


@pytest.mark.parametrize(
    ("question", "note", "quoted"),
    [
        ("¿Cómo se llama mi casera?", far(FLAT), "casera: Pilar Gómez"),
        ("¿Quién es la casera?", far(FLAT), "casera: Pilar Gómez"),
        ("¿Cuál es la matrícula?", far(CAR), "- Matrícula: 4821 KLM"),
        ("¿Cuál es la matrícula del coche?", far(CAR, title="Coche"), "- Matrícula: 4821 KLM"),
        ("¿Cuándo es la ITV?", far(CAR), "- ITV: 12 de mayo"),
        ("matrícula", far("| a |\n\n**Matrícula:** 4821 KLM"), "**Matrícula:** 4821 KLM"),
    ],
)
def test_it_is_quoted_alone_and_is_evidence(question: str, note: Source, quoted: str) -> None:
    made = asked(question, note)

    assert texts(made)[0] == quoted
    assert made.passages[0][1:] == ()
    assert evidence_score(evidence_features(made, language="es")) > 0.3


def test_two_labels_that_are_asked_for_are_both_quoted() -> None:
    assert texts(asked("¿Qué teléfono tiene la casera?", far(FLAT))) == ["casera: Pilar Gómez", "telefono: 612 345 678"]


def test_it_comes_before_a_sentence_with_the_asking_words() -> None:
    cat = far("Mi gato se llama Nube.")

    assert texts(asked("¿Cómo se llama mi casera?", cat, far(FLAT, number=2)))[0] == "casera: Pilar Gómez"


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuál es la matrícula de la moto?",  # of a thing that the note does not have
        "¿Cuándo caduca la ITV?",  # and something is said of it that no label says
        "¿Quién es Pilar Gómez?",  # the value is asked about
        "¿Cuándo?",
    ],
)
def test_where_more_or_something_else_is_asked_it_is_like_other_lines(question: str) -> None:
    features = evidence_features(asked(question, far(CAR), far(FLAT, number=2)), language="es")

    assert features["field"] == 0


def test_the_value_is_no_label() -> None:
    assert label_of("a las 10:30 vino") is None
    assert label_of("https://example.org") is None
    assert label_of("Matrícula:") is None
    assert label_of("- **ITV:** mayo") == "ITV"


def test_its_weight_is_added_once() -> None:
    with_field = {"words": 0.0, "similarity": 16.0, "ahead": 0.0, "translated": 0.0, "field": 1.0}

    assert evidence_score(with_field) / (1 - evidence_score(with_field)) == pytest.approx(
        evidence_score(with_field | {"field": 0.0})
        / (1 - evidence_score(with_field | {"field": 0.0}))
        * 2.718281828459045**FIELD
    )
