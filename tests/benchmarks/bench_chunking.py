"""Speed of cutting notes into sentences and chunks, beside the segmenter alone in the same run.

``python tests/benchmarks/bench_chunking.py`` prints one JSON object. ``BRAIN_TEST_DATA`` names a folder with
``prose-es/*.txt``; without it the notes under ``examples/`` are read, and without those a text made by repetition.
"""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from sentencex import get_sentence_boundaries

from rag_core.chunking import chunk_spans, sentence_spans
from rag_core.configuration.schema import Chunking

_REPETITIONS = 7
_BYTES_A_REPETITION = 1_000_000
_EXAMPLES = Path(__file__).parents[2] / "examples" / "notes.jsonl"
_MADE = "El Sr. Pérez llegó a las 10.30 h., p. ej. con 3,5 kg de uvas. ¿Quién lo vio? «Nadie», dijo la Dra. López.\n\n"


def run() -> dict[str, object]:
    """Megabytes of UTF-8 a second, best of seven: the floor, sentences alone, sentences and chunks, and their ratio."""
    source, texts = _texts()
    floor = _mb_per_second(texts, lambda text: get_sentence_boundaries("es", text))
    sentences = _mb_per_second(texts, lambda text: sentence_spans(text, "es"))
    both = _mb_per_second(texts, _chunks)
    return {
        "source": source,
        "texts": len(texts),
        "mb_per_second": {"floor": round(floor, 2), "sentences": round(sentences, 2), "chunks": round(both, 2)},
        "ratio": round(both / floor, 3),
    }


def _chunks(text: str) -> object:
    sizes = Chunking()
    return chunk_spans(
        text,
        sentence_spans(text, "es"),
        max_tokens=sizes.max_chunk_size,
        overlap_tokens=sizes.overlap_size,
        min_tokens=sizes.min_chunk_size,
    )


def _texts() -> tuple[str, list[str]]:
    folder = os.environ.get("BRAIN_TEST_DATA")
    if folder:
        paths = sorted((Path(folder) / "prose-es").glob("*.txt"))
        return "prose-es", [path.read_text(encoding="utf-8") for path in paths]
    if _EXAMPLES.exists():
        lines = _EXAMPLES.read_text(encoding="utf-8").splitlines()
        return "examples", [json.loads(line)["text"] for line in lines if line.strip()]
    return "repetition", [_MADE * 1_000]


def _mb_per_second(texts: list[str], work: Callable[[str], object]) -> float:
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    rounds = max(1, int(_BYTES_A_REPETITION / 1e6 / megabytes))
    best = min(_seconds(texts, work, rounds) for _ in range(_REPETITIONS))
    return megabytes * rounds / best


def _seconds(texts: list[str], work: Callable[[str], object], rounds: int) -> float:
    started = time.perf_counter()
    for _ in range(rounds):
        for text in texts:
            work(text)
    return time.perf_counter() - started


if __name__ == "__main__":
    print(json.dumps(run()))
