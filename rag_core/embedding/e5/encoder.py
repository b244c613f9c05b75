"""The encoder in this process: texts to mean-pooled vectors by onnxruntime."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from threading import Lock

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray

from rag_core.embedding.e5.converted import convert, converted_model
from rag_core.embedding.e5.tokenizer import UnigramTokenizer
from rag_core.embedding.e5.weights import PACKAGE, E5Weights, dequantized, installed_weights, read_weights
from rag_core.errors import EmbeddingError, EmbeddingUnavailableError
from rag_core.model.embedding import FloatMatrix
from rag_core.telemetry.logs import log_degraded


class E5Encoder:
    """The encoder with its tokenizer. Threads share it.

    Each text is one run on one core, and texts asked together run on all ``cores``: padding texts to one length costs more than
    runs of several texts gain.
    """

    def __init__(self, weights: E5Weights, *, cores: int, cache_folder: Path | None = None) -> None:
        self.dimensions = weights.dimensions
        self.max_tokens = weights.max_tokens
        self._tokenizer = UnigramTokenizer(weights.vocabulary)
        self._words = weights.blocks("emb.word", columns=weights.dimensions)
        types = weights.floats("emb.type")[: weights.dimensions]
        self._positions = weights.floats("emb.pos").reshape(-1, weights.dimensions) + types
        self._session = _open_converted(weights, cache_folder)
        self._threads = ThreadPoolExecutor(max_workers=cores, thread_name_prefix="e5") if cores > 1 else None

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of each text's tokens with those of beginning and end; more than ``max_tokens`` cannot be encoded."""
        return self._tokenizer.ids(texts)

    def encode(self, token_ids: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """The mean of the hidden states of each text's tokens, shape (texts, dimensions), not scaled."""
        run = map if self._threads is None or len(token_ids) < 2 else self._threads.map
        vectors = np.empty((len(token_ids), self.dimensions), dtype=np.float64)
        for row, vector in enumerate(run(self._encode_one, token_ids)):
            vectors[row] = vector
        return vectors

    def encode_together(self, inputs: Sequence[Sequence[Sequence[int]]]) -> list[NDArray[np.float64]]:
        """The means of each text's tokens as read behind the first text, shape (texts without the first, dimensions), not scaled."""
        run = map if self._threads is None or len(inputs) < 2 else self._threads.map
        return list(run(self._encode_texts, inputs))

    def _encode_texts(self, texts: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        begin, end = texts[0][0], texts[0][-1]
        lead, tokens = list(texts[0][1:-1])[: self.max_tokens // 4], [token for ids in texts[1:] for token in ids[1:-1]]
        hidden = np.empty((len(tokens), self.dimensions), dtype=np.float64)
        room = self.max_tokens - len(lead) - 2
        overlap = room // 8
        done = 0
        while done < len(tokens):
            start = max(0, done - overlap)
            window = tokens[start : start + room]
            states = self._hidden([begin, *lead, *window, end])[1 + len(lead) : -1]
            hidden[done : start + len(window)] = states[done - start :]
            done = start + len(window)
        bounds = np.cumsum([0, *(len(ids) - 2 for ids in texts[1:])])
        return np.stack([hidden[low:high].mean(axis=0) for low, high in pairwise(bounds)])

    def _encode_one(self, ids: Sequence[int]) -> FloatMatrix:
        mean: FloatMatrix = self._hidden(ids).mean(axis=0)
        return mean

    def _hidden(self, ids: Sequence[int]) -> FloatMatrix:
        embeddings = dequantized(self._words[list(ids)]) + self._positions[: len(ids)]
        inputs = {"embeddings": embeddings[np.newaxis], "lengths": np.array([len(ids)], dtype=np.int32)}
        (hidden,) = self._session.run(None, inputs)
        states: FloatMatrix = hidden[0]
        return states


_LOADING = Lock()


def installed_encoder(*, timeout_seconds: float) -> E5Encoder:
    """The encoder of the installed weights; loaded once a process, in half a second, or some seconds where it is converted first.

    ``timeout_seconds`` is the longest wait for another thread that loads it.

    Raises:
        EmbeddingUnavailableError: the other thread is not done.
        EmbeddingError: the package with the weights is not installed, or its file is damaged.
    """
    if not _LOADING.acquire(timeout=timeout_seconds):
        raise EmbeddingUnavailableError(f"the model of {PACKAGE} is being loaded; try again in some seconds")
    try:
        return _load()
    finally:
        _LOADING.release()


@lru_cache(maxsize=1)
def _load() -> E5Encoder:
    path = installed_weights()
    if path is None:
        raise EmbeddingError(f"the package {PACKAGE} is not installed")
    return E5Encoder(read_weights(path), cores=_usable_cores())


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _open_converted(weights: E5Weights, folder: Path | None) -> onnxruntime.InferenceSession:
    """A session of the cached model; of one made anew where onnxruntime cannot run the cached one.

    Raises:
        EmbeddingError: onnxruntime cannot run the new one either.
    """
    cached = converted_model(weights, folder=folder)
    try:
        return _tried_session(cached, weights.dimensions)
    except Exception as error:  # noqa: BLE001  onnxruntime's errors share no other base
        log_degraded("model cache", error)
    made = convert(weights, folder=folder)
    try:
        return _tried_session(made, weights.dimensions)
    except Exception as error:
        raise EmbeddingError(
            f"onnxruntime {onnxruntime.__version__} cannot run the model converted from {PACKAGE}: {error}; "
            f"reinstall onnxruntime and {PACKAGE}"
        ) from error


def _tried_session(model: bytes, dimensions: int) -> onnxruntime.InferenceSession:
    """A session that gave a token's vector: a file may be a model, and another one."""
    session = _open_session(model)
    token = np.zeros((1, 1, dimensions), dtype=np.float32)
    (hidden,) = session.run(None, {"embeddings": token, "lengths": np.ones(1, dtype=np.int32)})
    if hidden.shape != token.shape:
        raise EmbeddingError(f"the model gives vectors of shape {hidden.shape}, expected {token.shape}")
    return session


def _open_session(model: bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # its memory for the longest text would stay with the process
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
