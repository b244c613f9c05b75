"""A small file of weights in the format of multilingual-e5-small, and what its encoder should give, computed with numpy."""

import math
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag_core.embedding.e5.weights import E5Weights, dequantized

DIMENSIONS, LAYERS, HEADS, INNER, MAX_TOKENS = 64, 2, 2, 128, 16
EPSILON = 1e-12
PIECES = [
    ("<s>", 0.0),
    ("<pad>", 0.0),
    ("</s>", 0.0),
    ("<unk>", 0.0),
    ("▁", -4.0),
    ("▁ca", -5.0),
    ("▁casa", -7.0),
    ("s", -3.0),
    ("a", -3.5),
    ("c", -3.5),
]
REPLACEMENTS = {0x0A: " ", 0x41: "a", 0x00AD: "", 0xFB01: "ca"}


def write_weights(path: Path) -> None:
    """Write random weights, the same every time, with the vocabulary and replacements above."""
    tensors = _tensors(np.random.default_rng(7))
    head = struct.pack("<4sI", b"E5S1", 1)
    head += struct.pack("<7i", DIMENSIONS, LAYERS, HEADS, INNER, len(PIECES), MAX_TOKENS, 1)
    head += struct.pack("<fi", EPSILON, 32) + _vocabulary()
    directory = sum(2 + len(name) + 1 + 4 + 8 + 8 for name, _ in tensors)
    offset = len(head) + 4 + directory
    entries, body = b"", b""
    for name, content in tensors:
        entries += struct.pack("<H", len(name)) + name.encode()
        entries += struct.pack("<BIQQ", 0, 0, offset + len(body), len(content))
        body += content
    path.write_bytes(head + struct.pack("<i", len(tensors)) + entries + body)


def expected_mean(weights: E5Weights, ids: list[int]) -> NDArray[np.float64]:
    """The mean hidden state of a BERT encoder, in float64, from the definition (Devlin et al., 2019, section 3)."""
    state = dequantized(weights.blocks("emb.word", columns=DIMENSIONS))[ids].astype(np.float64)
    state = state + weights.floats("emb.pos").reshape(-1, DIMENSIONS)[: len(ids)]
    state = _norm(weights, "emb.ln", state + weights.floats("emb.type")[:DIMENSIONS])
    for layer in range(LAYERS):
        of = f"l{layer}."
        state = _norm(weights, of + "aln", state + _attention(weights, of, state))
        inner = _linear(weights, of + "fi", state, DIMENSIONS)
        inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        state = _norm(weights, of + "oln", state + _linear(weights, of + "fo", inner, INNER))
    mean: NDArray[np.float64] = state.mean(axis=0)
    return mean


def _attention(weights: E5Weights, of: str, state: NDArray[np.float64]) -> NDArray[np.float64]:
    query, key, value = (_linear(weights, of + part, state, DIMENSIONS) for part in ("q", "k", "v"))
    width = DIMENSIONS // HEADS
    parts = []
    for head in range(HEADS):
        columns = slice(head * width, (head + 1) * width)
        scores = np.exp(query[:, columns] @ key[:, columns].T / math.sqrt(width))
        parts.append(scores / scores.sum(axis=1, keepdims=True) @ value[:, columns])
    return _linear(weights, of + "ao", np.concatenate(parts, axis=1), DIMENSIONS)


def _linear(weights: E5Weights, name: str, state: NDArray[np.float64], columns: int) -> NDArray[np.float64]:
    product: NDArray[np.float64] = state @ dequantized(weights.blocks(name + ".w", columns=columns)).T
    return product + weights.floats(name + ".b")


def _norm(weights: E5Weights, name: str, state: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = state - state.mean(axis=1, keepdims=True)
    scaled: NDArray[np.float64] = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPSILON)
    return scaled * weights.floats(name + ".w") + weights.floats(name + ".b")


def _vocabulary() -> bytes:
    texts = [piece.encode() for piece, _ in PIECES]
    ends = np.cumsum([0, *map(len, texts)]).astype("<u4")
    entries = b"".join(
        struct.pack("<IB", code, len(text)) + text.encode("utf-32-le") for code, text in REPLACEMENTS.items()
    )
    return (
        struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, sum(map(len, texts)))
        + ends.tobytes()
        + np.array([score for _, score in PIECES], dtype="<f4").tobytes()
        + b"".join(texts)
        + struct.pack("<iI", len(REPLACEMENTS), len(entries))
        + entries
    )


def _tensors(random: np.random.Generator) -> list[tuple[str, bytes]]:
    def floats(count: int, *, around: float = 0.0) -> bytes:
        return (around + random.normal(0, 0.1, count)).astype("<f4").tobytes()

    def blocks(rows: int, columns: int) -> bytes:
        made = np.zeros((rows, columns // 32), dtype=[("scale", "<f2"), ("halves", "u1", 16)])
        made["scale"] = random.uniform(0.01, 0.04, made.shape)
        made["halves"] = random.integers(0, 256, (*made.shape, 16))
        return made.tobytes()

    tensors = [("emb.word", blocks(len(PIECES), DIMENSIONS)), ("emb.pos", floats(MAX_TOKENS * DIMENSIONS))]
    tensors += [("emb.type", floats(DIMENSIONS))]
    tensors += [("emb.ln.w", floats(DIMENSIONS, around=1)), ("emb.ln.b", floats(DIMENSIONS))]
    for layer in range(LAYERS):
        of = f"l{layer}."
        for part in ("q", "k", "v", "ao"):
            tensors += [(of + part + ".w", blocks(DIMENSIONS, DIMENSIONS)), (of + part + ".b", floats(DIMENSIONS))]
        tensors += [(of + "fi.w", blocks(INNER, DIMENSIONS)), (of + "fi.b", floats(INNER))]
        tensors += [(of + "fo.w", blocks(DIMENSIONS, INNER)), (of + "fo.b", floats(DIMENSIONS))]
        for norm in ("aln", "oln"):
            tensors += [(of + norm + ".w", floats(DIMENSIONS, around=1)), (of + norm + ".b", floats(DIMENSIONS))]
    return tensors
