"""Re-ranking by a cross-encoder on this machine: ONNX Runtime and a tokenizer, from a folder."""

import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_core.errors import ConfigurationError, RerankingError, SearchCancelledError
from rag_core.model.retrieval import QueryStatistics
from rag_core.reranking import RERANKERS, Candidate, RerankerParts, RerankerProvider
from rag_core.reranking.passage import passage_text, sigmoid
from rag_core.resilience.cancellation import Cancellation

MAX_LENGTH = 512
BATCH_SIZE = 16
MAX_WINDOWS = 8
_QUERY_SHARE = 4
"""A query may take a quarter of the tokens: what is longer is cut, so that a passage always has room."""
_OVERLAP_SHARE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossEncoder:
    """A model that reads query and passage together.

    A passage longer than the model can read is cut into overlapping windows and gets the score of its best one.
    """

    name: str
    session: Any
    tokenizer: Any
    query_tokenizer: Any
    max_length: int
    batch_size: int = BATCH_SIZE

    def score(
        self,
        query: str,
        candidates: Sequence[Candidate],
        *,
        statistics: QueryStatistics,  # noqa: ARG002  the model has its own idea of what is rare
        timeout_seconds: float,
        cancellation: Cancellation | None = None,
    ) -> list[float]:
        """One sigmoid of the best window's logit each; a cancellation counts from the next batch on."""
        ends_at = time.monotonic() + timeout_seconds
        shortened = _shortened(self.query_tokenizer, query, self.max_length // _QUERY_SHARE)
        windows = [
            (at, window)
            for at, item in enumerate(candidates)
            for window in self._windows(shortened, passage_text(item))
        ]
        windows.sort(key=lambda pair: len(pair[1].ids))  # alike lengths together: less padding
        best = [-np.inf] * len(candidates)
        for batch in _batches(windows, self.batch_size):
            if cancellation is not None and cancellation.is_cancelled:
                raise SearchCancelledError(f"{self.name} scored no further: nobody waits any more")
            if time.monotonic() > ends_at:
                raise RerankingError(
                    f"{self.name} did not score {len(candidates)} passages within {timeout_seconds:.1f} s"
                )
            for (at, _), logit in zip(batch, self._logits([window for _, window in batch]), strict=True):
                best[at] = max(best[at], float(logit))
        return [sigmoid(logit) for logit in best]

    def _windows(self, query: str, passage: str) -> list[Any]:
        encoded = self.tokenizer.encode(query, passage)
        return [encoded, *encoded.overflowing][:MAX_WINDOWS]

    def _logits(self, windows: Sequence[Any]) -> NDArray[np.float64]:
        length = max(len(window.ids) for window in windows)
        columns = {
            "input_ids": [window.ids for window in windows],
            "attention_mask": [window.attention_mask for window in windows],
            "token_type_ids": [window.type_ids for window in windows],
        }
        wanted = [given.name for given in self.session.get_inputs()]
        padded = {name: _padded(columns[name], length) for name in wanted}
        (scores, *_) = self.session.run(None, padded)
        return _one_logit_each(np.asarray(scores, dtype=float), len(windows), self.name)


def open_cross_encoder(folder: Path, *, max_length: int = MAX_LENGTH) -> CrossEncoder:
    """Load ``model.onnx`` (or ``onnx/model.onnx``) and ``tokenizer.json`` from a folder.

    Raises:
        ConfigurationError: the extra is not installed, a file is missing or cannot be read, or the model asks for other
            inputs than a cross-encoder's.
    """
    try:
        import onnxruntime  # type: ignore[import-untyped]
        import tokenizers
    except ImportError as error:
        raise ConfigurationError(
            f"a cross-encoder needs onnxruntime and tokenizers ({error}); install them with "
            "pip install 'brain-sync[cross-encoder]', or set BRAIN_RERANKER=embedded"
        ) from error
    model, vocabulary = _files(folder)
    try:
        session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        whole, tokenizer = (tokenizers.Tokenizer.from_file(str(vocabulary)) for _ in range(2))
    except Exception as error:  # both raise bare Exceptions of their own making
        raise ConfigurationError(f"the cross-encoder in {folder} cannot be loaded: {error}; export it again") from error
    _check_inputs(folder, [given.name for given in session.get_inputs()])
    overlap = min(max_length // _OVERLAP_SHARE, max_length // 2)
    for each in (whole, tokenizer):
        each.no_padding()
    whole.no_truncation()
    tokenizer.enable_truncation(max_length, stride=overlap, strategy="only_second")
    return CrossEncoder(
        name=f"cross_encoder:{folder.name}@{_fingerprint(model, vocabulary)}",
        session=session,
        tokenizer=tokenizer,
        query_tokenizer=whole,
        max_length=max_length,
    )


def _files(folder: Path) -> tuple[Path, Path]:
    models = [path for path in (folder / "model.onnx", folder / "onnx" / "model.onnx") if path.is_file()]
    vocabulary = folder / "tokenizer.json"
    if not models or not vocabulary.is_file():
        raise ConfigurationError(
            f"BRAIN_RERANKER_PATH={folder} has no model.onnx with a tokenizer.json beside it; export a cross-encoder to ONNX "
            "and give its folder"
        )
    return models[0], vocabulary


def _check_inputs(folder: Path, names: Sequence[str]) -> None:
    unknown = sorted(set(names) - {"input_ids", "attention_mask", "token_type_ids"})
    if unknown or "input_ids" not in names:
        raise ConfigurationError(
            f"the model in {folder} asks for {', '.join(names)}; expected input_ids, attention_mask and token_type_ids"
        )


def _fingerprint(model: Path, vocabulary: Path) -> str:
    """Eight hex digits of the vocabulary and of the model's size and beginning: a model has gigabytes."""
    digest = hashlib.sha256(vocabulary.read_bytes())
    digest.update(str(model.stat().st_size).encode())
    with model.open("rb") as file:
        digest.update(file.read(1_000_000))
    return digest.hexdigest()[:8]


def _shortened(tokenizer: Any, query: str, max_tokens: int) -> str:
    """The query, cut after so many tokens."""
    offsets = [end for start, end in tokenizer.encode(query, add_special_tokens=False).offsets if end > start]
    return query if len(offsets) <= max_tokens else query[: offsets[max_tokens - 1]]


def _batches(windows: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(windows), size):
        yield windows[start : start + size]


def _padded(rows: Sequence[Sequence[int]], length: int) -> NDArray[np.int64]:
    """Rows filled up with 0 on the right: the attention mask says what counts."""
    return np.array([[*row, *[0] * (length - len(row))] for row in rows], dtype=np.int64)


def _one_logit_each(scores: NDArray[np.float64], expected: int, name: str) -> NDArray[np.float64]:
    """One label as it is; of two, the second's lead over the first, whose sigmoid is their softmax."""
    rows = scores.reshape(expected, -1) if scores.size % expected == 0 else scores
    if rows.ndim != 2 or rows.shape[1] not in {1, 2}:
        raise RerankingError(
            f"{name} gave scores of shape {scores.shape} for {expected} passages; expected one or two each"
        )
    if not np.isfinite(rows).all():
        raise RerankingError(f"{name} gave a score that is not finite; none is used")
    return rows[:, 0] if rows.shape[1] == 1 else rows[:, 1] - rows[:, 0]


def _build(parts: RerankerParts) -> CrossEncoder:
    if parts.settings.reranker_path is None:
        raise ConfigurationError(
            "a cross-encoder needs BRAIN_RERANKER_PATH, the folder of its model.onnx and tokenizer.json"
        )
    return open_cross_encoder(parts.settings.reranker_path)


RERANKERS.register("cross_encoder")(RerankerProvider(build=_build, is_in_process=True, scores_are_probabilities=True))
