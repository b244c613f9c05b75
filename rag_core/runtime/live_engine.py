"""The engine of whichever embedding model is active, for processes that outlive a promotion."""

import threading

from rag_core.embedding import provider_of
from rag_core.errors import EmbeddingError
from rag_core.model.embedding import EmbeddingModel
from rag_core.runtime.engine import Engine, with_model
from rag_core.telemetry.logs import log_degraded


class LiveEngine:
    """Hands out engines: a request asks once, keeps what it got, and so has one model from beginning to end.

    A promotion, or a restore that brings other models, is noticed within ``rag_core.embedding.active.CHECK_SECONDS``. A model
    that has to be loaded is loaded before requests get it; until then they get the former one, whose vectors are kept for long enough.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._refused: EmbeddingModel | None = None
        self._changing = threading.Lock()

    @property
    def at_hand(self) -> Engine:
        """The engine handed out last; nobody is asked."""
        return self._engine

    @property
    def is_due(self) -> bool:
        """Tell whether ``current`` would query the database."""
        return self._engine.watch.is_due

    def current(self) -> Engine:
        """The engine for a request that begins now."""
        active = self._engine.watch.active()
        known = any(held is not None and held.is_same_as(active) for held in (self._engine.model, self._refused))
        if not known and self._changing.acquire(blocking=False):
            if provider_of(active).has_to_load:
                threading.Thread(target=self._change, args=(active,), name="model-change", daemon=True).start()
            else:
                self._change(active)
        return self._engine

    def renewed(self) -> Engine:
        """The engine of the model that is active at this moment, for a writer who was told that it changed.

        Raises:
            EmbeddingError: this program has no such provider or version.
        """
        active = self._engine.watch.active(is_urgent=True)
        return self._engine if active.is_same_as(self._engine.model) else with_model(self._engine, active)

    def _change(self, active: EmbeddingModel) -> None:
        """Hand out engines of another model from now on, once it is loaded; ``_changing`` is held until then."""
        try:
            engine = with_model(self._engine, active)
            engine.warm_up_embedder()
            self._engine, self._refused = engine, None
        except EmbeddingError as error:
            self._refused = active
            log_degraded("model change", error)
        finally:
            self._changing.release()
