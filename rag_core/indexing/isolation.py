"""Isolation of failing items: all are tried together first, then each alone, or by halves. No SQL."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rag_core.embedding import Embedder
from rag_core.embedding.together import ReadTogether, TogetherEmbedder
from rag_core.errors import (
    EmbeddingError,
    EmbeddingUnavailableError,
    IndexingError,
    ModelChangedError,
    QueryFailedError,
)

Item = TypeVar("Item")
Result = TypeVar("Result")

_PLAIN_TEXT = "nota"
"""A text that every provider takes: one that refuses it fails whatever it is asked."""


def together_or_alone(
    items: Sequence[Item], run: Callable[[Sequence[Item]], Result]
) -> tuple[list[Result], list[tuple[Item, str]]]:
    """Run it over all items at once; where that is refused, over each alone. The results, and who failed with the reason.

    ``run`` must leave nothing behind when it raises. No items give no result.

    Raises:
        DatabaseUnavailableError, ModelChangedError: nothing of an item's; what was done before stays.
    """
    try:
        return ([run(items)] if items else []), []
    except ModelChangedError:
        raise
    except (QueryFailedError, IndexingError) as error:
        if len(items) == 1:
            return [], [(items[0], str(error))]
    outcomes = [together_or_alone([item], run) for item in items]
    return [result for results, _ in outcomes for result in results], [one for _, failed in outcomes for one in failed]


@dataclass(slots=True, kw_only=True)
class Embedded:
    """Vectors by their input's hash, inputs that the provider refused with its reason, and what ended it early.

    ``is_proven`` once the provider embedded any text: then what it refuses is the text's doing.
    """

    vectors: dict[bytes, NDArray[np.float32]] = field(default_factory=dict)
    refused: dict[bytes, str] = field(default_factory=dict)
    error: EmbeddingError | None = None
    is_proven: bool = False


def embed_joined(inputs: Sequence[tuple[str, ...]], embedder: Embedder) -> list[NDArray[np.float32]]:
    """Embed the texts of each input in one call; an input's vectors one after another, shape (texts · dimensions,).

    Raises:
        EmbeddingError: as the embedder.
    """
    together = [texts for texts in inputs if isinstance(texts, ReadTogether)]
    apart = [texts for texts in inputs if not isinstance(texts, ReadTogether)]
    vectors = np.asarray(embedder.embed([text for texts in apart for text in texts], role="document"))
    of_apart = iter(np.split(vectors, np.cumsum([len(texts) for texts in apart])[:-1]))
    of_together = iter(embedder.embed_together(together) if together and isinstance(embedder, TogetherEmbedder) else ())
    return [next(of_together if isinstance(texts, ReadTogether) else of_apart).ravel() for texts in inputs]


def embed_apart(inputs: Mapping[bytes, tuple[str, ...]], embedder: Embedder) -> Embedded:
    """Embed inputs; those that the provider refuses are found by halving, and cost no other input its vector.

    At most 2·c·log2(n) + 2 calls more than one, c refused inputs among n. A provider that takes not even a plain text, or
    that is out of reach, ends it: ``error`` says how, ``vectors`` has what was computed until then.
    """
    found = Embedded()
    try:
        if inputs:
            _embed_or_halve(list(inputs.items()), embedder, found)
    except EmbeddingError as error:
        found.error = error
    return found


def _embed_or_halve(inputs: Sequence[tuple[bytes, tuple[str, ...]]], embedder: Embedder, found: Embedded) -> None:
    try:
        vectors = embed_joined([texts for _, texts in inputs], embedder)
    except EmbeddingUnavailableError:
        raise
    except EmbeddingError as error:
        _blame_texts(error, embedder, found)
        if len(inputs) == 1:
            found.refused[inputs[0][0]] = str(error)
            return
    else:
        found.is_proven = True
        rows = zip(inputs, vectors, strict=True)
        found.vectors.update((digest, vector) for (digest, _), vector in rows)
        return
    middle = len(inputs) // 2
    for half in (inputs[:middle], inputs[middle:]):
        _embed_or_halve(half, embedder, found)


def _blame_texts(error: EmbeddingError, embedder: Embedder, found: Embedded) -> None:
    """Raise the error when it is not the texts': nothing has been embedded, and a plain text cannot be either."""
    if found.is_proven:
        return
    try:
        embedder.embed([_PLAIN_TEXT], role="document")
    except EmbeddingUnavailableError:
        raise
    except EmbeddingError:
        raise error from None
    found.is_proven = True
