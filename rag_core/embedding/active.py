"""Active embedding model, followed by long-running processes: a promotion happens in another process."""

import threading
import time
from collections.abc import Callable, Sequence

from rag_core.embedding import Embedder
from rag_core.errors import EmbeddingError, RagError
from rag_core.model.embedding import EmbeddingModel, EmbeddingRole, FloatMatrix
from rag_core.model.note import TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.models import list_models
from rag_core.telemetry.logs import log_degraded

CHECK_SECONDS = 1.0
"""A promotion is noticed this much later at most."""
CHECK_MS = 250
"""For the look itself; when the database takes longer, what was known before holds."""
_NOBODY = TenantId("default")
"""The registry is nobody's, but a transaction is somebody's."""


class ModelWatch:
    """Cache of the registry, refreshed every second. Threads share it; one refreshes it while the others use its last contents."""

    def __init__(
        self, database: Database, active: EmbeddingModel, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._clock = clock
        self._active = active
        self._registered: list[EmbeddingModel] | None = None
        self._due_at = clock() + CHECK_SECONDS
        self._has_failed = False
        self._lock = threading.Lock()

    @property
    def is_due(self) -> bool:
        """True when ``active`` would query the database."""
        return self._clock() >= self._due_at

    def active(self, *, is_urgent: bool = False) -> EmbeddingModel:
        """The active model; looked up when the last look is a second old, or at once if it ``is_urgent``."""
        if (is_urgent or self.is_due) and self._lock.acquire(blocking=is_urgent):
            try:
                self._look()
            finally:
                self._lock.release()
        return self._active

    def is_retired(self, model: EmbeddingModel) -> bool:
        """True when the model's vectors are being removed or gone, so that a search by it would find little or nothing."""
        self.active()
        if self._serves(model):
            return False
        self.active(is_urgent=True)  # it may have been registered since the last look
        return not self._serves(model)

    def _serves(self, model: EmbeddingModel) -> bool:
        return self._registered is None or any(
            known.has_same_vectors_as(model) and known.state != "retired" for known in self._registered
        )

    def _look(self) -> None:
        try:
            models = self._database.read(_NOBODY, _read_registry, timeout_ms=CHECK_MS)
        except RagError as error:
            if not self._has_failed:  # once an outage: everything else that needs the database says so too
                log_degraded("model registry", error)
            self._has_failed = True
        else:
            self._active = next((model for model in models if model.state == "active"), self._active)
            self._registered = models
            self._has_failed = False
        self._due_at = self._clock() + CHECK_SECONDS


def _read_registry(connection: Connection) -> list[EmbeddingModel]:
    return [registered.model for registered in list_models(connection)]


class WatchedEmbedder:
    """An embedder of queries that refuses once its model is retired.

    Whoever holds on to a model that long, such as an evaluation under way, is told; searching would find nothing by meaning
    and look as if there were nothing.
    """

    def __init__(self, embedder: Embedder, model: EmbeddingModel, watch: ModelWatch) -> None:
        self.name = embedder.name
        self.dimensions = embedder.dimensions
        self._embedder = embedder
        self._model = model
        self._watch = watch

    def embed(self, texts: Sequence[str], *, role: EmbeddingRole) -> FloatMatrix:
        """Embed as the embedder does.

        Raises:
            EmbeddingError: the model is retired, or see the embedder.
        """
        if self._watch.is_retired(self._model):
            raise EmbeddingError(
                f"embedding model {self.name} was retired or replaced while it was in use here; begin again, with the active one"
            )
        return self._embedder.embed(texts, role=role)
