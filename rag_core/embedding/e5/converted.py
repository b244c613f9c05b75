"""The converted model: one ONNX file in the user's cache folder, shared by all homes.

The name holds a hash of the end of the weights, the converter's version and the kind of processor; a file beside it holds the
hash of its own bytes. A file that does not match, or that onnxruntime cannot run, is made anew. Where the folder cannot be written
the model is converted in memory.
"""

import hashlib
import os
import tempfile
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path

from rag_core.embedding.e5.weights import E5Weights
from rag_core.telemetry.logs import log_degraded

CONVERTER_VERSION = 2
"""Changes when the graph does, so that no cached file of an older graph is used."""


def converted_model(weights: E5Weights, *, folder: Path | None = None) -> bytes:
    """The encoder as a serialised ONNX model; read from the cache folder, or converted and kept there."""
    return _read(_path(weights, folder)) or convert(weights, folder=folder)


def convert(weights: E5Weights, *, folder: Path | None = None) -> bytes:
    """The encoder made from the weights, whatever the cache folder holds; kept there in place of what it holds."""
    from rag_core.embedding.e5.graph import build_graph

    model, path = build_graph(weights, has_vnni=has_vnni()), _path(weights, folder)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, model)
        _replace(_sidecar(path), _digest(model).encode("ascii"))
    except OSError as error:
        log_degraded("model cache", error)
    return model


def _path(weights: E5Weights, folder: Path | None) -> Path:
    folder = folder or user_cache_path("brain-sync") / "models"
    return (
        folder
        / f"e5-small-{_digest(bytes(weights.data[-65536:]))[:16]}-v{CONVERTER_VERSION}{'-vnni' if has_vnni() else ''}.onnx"
    )


@cache
def has_vnni() -> bool:
    """True when the processor has instructions for products of 8-bit integers."""
    try:
        return "vnni" in Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return False


def _read(path: Path) -> bytes | None:
    try:
        model = path.read_bytes()
        is_whole = _sidecar(path).read_text("ascii") == _digest(model)
    except (OSError, UnicodeDecodeError):
        return None
    return model if is_whole else None


def _replace(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _sidecar(path: Path) -> Path:
    return path.with_suffix(".sha256")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
