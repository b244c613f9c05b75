"""Measurement of the memory that embedding with a model needs, in a process that has loaded nothing else.

``python -m rag_core.model_change.memory_probe`` reads the model and the texts as JSON from stdin and prints the bytes that its
resident set grew by, from before the model was built until after the texts were embedded.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rag_core.embedding import build_embedder
from rag_core.errors import EmbeddingError
from rag_core.model.embedding import EmbeddingModel
from rag_core.settings import read_settings

PROBE_SECONDS = 120


def measure_memory_bytes(model: EmbeddingModel, texts: Sequence[str]) -> int:
    """Return the bytes by which a fresh process grows that embeds these texts with a model of its own.

    Raises:
        EmbeddingError: the process failed, or took too long.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "rag_core.model_change.memory_probe"],
            input=json.dumps({"model": asdict(model), "texts": list(texts)}),
            capture_output=True,
            text=True,
            timeout=PROBE_SECONDS,
            check=True,
        )
        return int(done.stdout)
    except (subprocess.SubprocessError, ValueError) as error:
        raise EmbeddingError(f"the memory of {model.name} could not be measured: {error}") from error


def _grown_bytes(document: dict[str, Any]) -> int:
    import psutil

    process = psutil.Process()
    before = process.memory_info().rss
    embedder = build_embedder(EmbeddingModel(**document["model"]), settings=read_settings())
    embedder.embed(document["texts"], role="document")
    grown: int = process.memory_info().rss - before
    return grown


if __name__ == "__main__":
    sys.stdout.write(str(_grown_bytes(json.load(sys.stdin))))
