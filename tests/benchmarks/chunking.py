"""Chunking: sentences and chunks, against the sentence segmenter alone."""

from typing import Any, cast

from . import bench_chunking
from .corpus import Corpus
from .progress import step
from .sizes import Sizes


def run(_corpus: Corpus, _sizes: Sizes) -> dict[str, Any]:
    """Megabytes of UTF-8 a second on texts of its own, best of several rounds."""
    with step("chunking and its floor"):
        found = bench_chunking.run()
    rates = cast("dict[str, float]", found["mb_per_second"])
    return {
        "mb_per_second": rates["chunks"],
        "floor_mb_per_second": rates["floor"],
        "sentences_mb_per_second": rates["sentences"],
        "data": found["source"],
    }
