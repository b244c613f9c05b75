"""Notes that are not chunked yet: which passage of them is shown."""

from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG
from rag_core.retrieval.passages import MAX_READ_CHARACTERS, best_passage


def test_of_a_long_note_only_the_beginning_is_split() -> None:
    text = "Nada de interés. " * 10_000 + "El paraguas verde."

    chosen, _ = best_passage(
        text, "paraguas verde", language="es", sizes=DEFAULT_RETRIEVAL_CONFIG.chunking, before=0, after=0
    )

    assert len(text) > MAX_READ_CHARACTERS > chosen[1]
