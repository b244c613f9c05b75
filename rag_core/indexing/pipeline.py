"""Fingerprint of everything that a note's chunks and vectors depend on."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rag_core.chunking import CHUNKERS, Chunker, ChunkerChoice, parse_choice
from rag_core.chunking.breaks import Threshold, parse_threshold
from rag_core.configuration.schema import Chunking
from rag_core.embedding import Embedder
from rag_core.embedding.context import CONTEXT_VERSION
from rag_core.embedding.summaries import Summariser
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import NoteKind, TenantId

_DEFAULT_CHOICE = parse_choice("")
_DEFAULT_BREAKS = parse_threshold("percentile:95")


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """Chunkers, chunk sizes, what stands before a chunk and the embedding model, with the means to run it.

    With a summariser the contextual vectors are made with its summaries. A note that it failed at is indexed with the
    template all the same, under ``template_fingerprint``, and so is stale still: the next run tries again.
    """

    chunking: Chunking
    model: EmbeddingModel
    embedder: Embedder
    summariser: Summariser | None = None
    chunkers: ChunkerChoice = _DEFAULT_CHOICE
    breaks: Threshold = _DEFAULT_BREAKS

    def chunker_of(self, tenant: TenantId, kind: NoteKind) -> tuple[str, Chunker]:
        """Return the chunker of a tenant's notes of a kind, with its name.

        Raises:
            ConfigurationError: there is none of that name.
        """
        name = self.chunkers.of(tenant, kind)
        return name, CHUNKERS.get(name, given_by="BRAIN_CHUNKER")

    @cached_property
    def fingerprint(self) -> str:
        """First 16 hex digits of SHA-256 over everything a change of which makes notes stale."""
        if self.summariser is None:
            return self.template_fingerprint
        return _digest(self._parts() | {"summaries": self.summariser.fingerprint})

    @cached_property
    def template_fingerprint(self) -> str:
        """The fingerprint of the same pipeline without a summariser."""
        return _digest(self._parts())

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """Fingerprints under which this pipeline stages notes."""
        return tuple(dict.fromkeys((self.fingerprint, self.template_fingerprint)))

    def _parts(self) -> dict[str, Any]:
        return {
            "chunker": self._chunker_versions(),
            "chunking": self.chunking.model_dump(mode="json"),
            "context": CONTEXT_VERSION,
            "model": [self.model.name, self.model.version, self.model.dimensions, self.model.document_prefix],
        }

    def _chunker_versions(self) -> list[Any]:
        """Names and versions by whose notes they cut."""
        names = self.chunkers.names
        chunkers = {name: CHUNKERS.get(name, given_by="BRAIN_CHUNKER") for _, _, name in names}
        breaks = [list(self.breaks)] if any(one.needs_breaks for one in chunkers.values()) else []
        return sorted([str(tenant), str(kind), name, chunkers[name].version] for tenant, kind, name in names) + breaks


def chunking_by_fingerprint(pipeline: Pipeline, models: Iterable[EmbeddingModel]) -> dict[str, Chunking]:
    """Return the chunking of each fingerprint that this version knows: the pipeline's with any of the models."""
    known = (pipeline, *(replace(pipeline, model=model) for model in models))
    return {fingerprint: one.chunking for one in known for fingerprint in one.fingerprints}


def _digest(parts: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
