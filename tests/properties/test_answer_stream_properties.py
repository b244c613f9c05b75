"""Whatever a model says, in whatever bits: what is shown sentence by sentence is the whole answer, and no mark is made up."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from builders import make_source
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rag_core.answering.events import SentenceReady
from rag_core.answering.finishing import OutgoingGate
from rag_core.answering.verification.citations import parse_citations
from rag_core.answering.writing import Writing
from rag_core.guardrails import RedactionPolicy
from rag_core.model.answer import PromptContext
from rag_core.resilience.cancellation import Cancellation

TEXTS = ("Se rompió la caldera de gas. El técnico cobró 180 euros.", "Rosa cumplió 40 años en Valencia.")
SOURCES = tuple(
    make_source(text, number, created_at=datetime(2025, 3, number, tzinfo=UTC)) for number, text in enumerate(TEXTS, 1)
)
PIECES = st.sampled_from(
    [
        *(
            "El técnico cobró 180 euros",
            "Rosa",
            ". ",
            "! ",
            "? ",
            "¿Llovió",
            "Sí",
            "No",
            "\n\n",
            "\n- ",
            " ",
            "…",
            "Sr. ",
            "3,5",
            "La contraseña es Xk9!pQ2w",
        ),
        *(
            "[1]",
            "[2]",
            "[1, 2]",
            "[3]",
            "[N1]",
            "[1-9]",
            "[[1]]",
            "[",
            "]",
            "【1】",
            "[Quelle: x]",
            "(1)",
            "[2019]",
            "[\u200b1]",
            "\u202e",
        ),
        *("rosa@valencia.es", "**", "`[9]`", "[1](http://x)", "-----BEGIN PRIVATE KEY-----", "x" * 120),
        *('"', " (", ")", "«", "»", "„", "“", "< 20", "\n1. ", "\n\u2014 ", "\n## ", "\n| 1 | 2 |"),
    ]
)


@dataclass
class Saying:
    bits: Sequence[str]
    name: str = "saying"

    def stream(self, *_asked: Any, **_options: Any) -> Generator[str]:
        yield from self.bits


def written(bits: Sequence[str], policy: RedactionPolicy) -> tuple[Writing, list[SentenceReady]]:
    writing = Writing(
        query="¿Cuánto cobró?",
        context=PromptContext(sources=SOURCES, text="[]"),
        language="es",
        answerer=Saying(bits),  # type: ignore[arg-type]
        timeout_seconds=1,
        cancellation=Cancellation(),
        gate=OutgoingGate(language="es", policy=policy),
    )
    return writing, list(writing.sentences())


def cut(text: str, widths: Sequence[int]) -> list[str]:
    bits: list[str] = []
    at = 0
    while at < len(text):
        bits.append(text[at : at + widths[len(bits) % len(widths)]])
        at += len(bits[-1])
    return bits


@settings(max_examples=100)
@given(
    pieces=st.lists(PIECES, min_size=1, max_size=25),
    widths=st.lists(st.integers(1, 9), min_size=1, max_size=8),
    policy=st.sampled_from(["redact", "warn", "off"]),
)
def test_the_sentences_are_the_answer(pieces: list[str], widths: list[int], policy: RedactionPolicy) -> None:
    text = "".join(pieces)

    writing, ready = written(cut(text, widths), policy)

    checked, whole = writing.checked, "".join(event.text for event in ready)
    assert checked.text == whole.rstrip()
    assert [citation for event in ready for citation in event.citations] == list(checked.citations)
    for event in ready:
        assert whole[event.start :].startswith(event.text)
    for citation in checked.citations:
        assert citation.number in {1, 2}
        assert str(citation.number) in checked.text[slice(*citation.mark)]
    assert {number for mark in parse_citations(checked.text, SOURCES) for number in mark.numbers} <= {1, 2}


@example(pieces=["[", "【1】", ". ", "El técnico cobró 180 euros", "[1]"], widths=[1])
@example(pieces=[". ", "[1]", "…", "Sr. ", "El técnico cobró 180 euros"], widths=[1])
@example(pieces=["Llovió (creo", ". ", "El técnico cobró 180 euros", " [1]"], widths=[1])
@example(
    pieces=["Dijo «Llovió", ". ", "El técnico cobró 180 euros» [1]", ". ", "Rosa vino a casa a las tres"], widths=[1]
)
@given(pieces=st.lists(PIECES, min_size=1, max_size=25), widths=st.lists(st.integers(1, 9), min_size=1, max_size=8))
def test_how_the_bits_fall_changes_nothing(pieces: list[str], widths: list[int]) -> None:
    text = "".join(pieces)

    in_bits, _ = written(cut(text, widths), "warn")
    at_once, _ = written([text], "warn")

    assert in_bits.checked == at_once.checked
