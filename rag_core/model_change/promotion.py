"""Promotion: from one moment on, every search and every new note is the other model's."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from rag_core.embedding import Embedder
from rag_core.errors import ModelStateError
from rag_core.indexing.pipeline import Pipeline
from rag_core.model.embedding import EmbeddingModel
from rag_core.model_change.backfill import ModelBackfillReport, Progress, begin_backfill, fill_model, settle_model
from rag_core.runtime.engine import Engine, with_model
from rag_core.storage.batches import list_tenants
from rag_core.storage.database import Database
from rag_core.storage.model_vectors import is_index_due
from rag_core.storage.models import ModelPromotion, fetch_active_model, find_model, promote_model, rename_fingerprints
from rag_core.storage.vector_index import ensure_vector_index

ROUNDS = 10
"""Each fills in what was written during the one before, so they get shorter, and the last of it while publications wait; a
bulk import, which does not wait, may outlast them all."""
INDEX_SECONDS = 3600
_POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionReport:
    """The active model and the one before (the same if nothing changed), what was filled in at the last, and the notes kept."""

    model: EmbeddingModel
    former: EmbeddingModel
    caught_up: ModelBackfillReport
    rounds: int
    notes: int
    seconds: float

    @property
    def is_changed(self) -> bool:
        """Tell whether the active model changed."""
        return self.model.id != self.former.id


def promote(
    engine: Engine,
    name: str,
    *,
    is_waiting: bool = False,
    instead_of: int | None = None,
    on_progress: Progress = lambda _chunks: None,
    clock: Callable[[], float] = time.perf_counter,
) -> PromotionReport:
    """Fill in what the model still lacks, and make it the active one; the former stays ready, to go back to at once.

    Notes are counted as the new pipeline's after that, so that they are not indexed anew; one that this does not come to, because
    it is killed, is stale and costs the next run no vector.

    With ``is_waiting`` a model whose backfill was never finished is finished first, however long it takes. The engine's own
    model does not matter. ``instead_of`` is the id of the active model that is meant; None: whichever is active.

    Raises:
        NotFoundError: no model has that name.
        ModelStateError: it is not ready, ``instead_of`` is not active any more, it gives nothing for some
            chunks, or notes were written faster than it embeds.
        EmbeddingError: see ``backfill_model``.
    """
    began, report = clock(), ModelBackfillReport()
    database = engine.database
    model, former = _pair(database, name)
    if model.id == former.id:
        return PromotionReport(model=model, former=model, caught_up=report, rounds=0, notes=0, seconds=0.0)
    _check_state(model, is_waiting=is_waiting)
    begin_backfill(database, name)
    embedder = with_model(engine, model).embedder
    promotion = ModelPromotion(is_done=False)
    for rounds in range(1, ROUNDS + 1):
        report += _completed(database, model, embedder, on_progress)
        former, promotion, late = _attempt(database, name, embedder, instead_of, on_progress)
        report += late
        if promotion.is_done:
            return PromotionReport(
                model=_pair(database, name)[0],
                former=former,
                caught_up=report,
                rounds=rounds,
                notes=_keep_notes(database, engine.pipeline, former, model),
                seconds=round(clock() - began, 3),
            )
    raise ModelStateError(_explain_rounds(model, promotion))


def _attempt(
    database: Database, name: str, embedder: Embedder, instead_of: int | None, on_progress: Progress
) -> tuple[EmbeddingModel, ModelPromotion, ModelBackfillReport]:
    """Promote it if nothing is in the way: the model it is to replace, how it ended, and what was filled in for it."""
    model, former = _pair(database, name)
    if instead_of not in {None, former.id}:
        raise ModelStateError(f"{former.name} was promoted meanwhile. Nothing changed")
    late: list[ModelBackfillReport] = []
    promotion = promote_model(
        database,
        model.id,
        instead_of=former.id,
        complete=lambda: late.append(fill_model(database, model, embedder, is_held=True, on_progress=on_progress)),
    )
    return former, promotion, sum(late, ModelBackfillReport())


def _keep_notes(database: Database, pipeline: Pipeline, former: EmbeddingModel, model: EmbeddingModel) -> int:
    fingerprints = renamed_fingerprints(pipeline, former, model)
    return rename_fingerprints(database, list_tenants(database), model, fingerprints)


def renamed_fingerprints(pipeline: Pipeline, former: EmbeddingModel, model: EmbeddingModel) -> dict[str, str]:
    """The fingerprints of a pipeline with one model, each with its own when the model is another: chunks stay as they are."""
    before, after = replace(pipeline, model=former), replace(pipeline, model=model)
    return {
        before.fingerprint: after.fingerprint,
        before.template_fingerprint: after.template_fingerprint,
    }


def _pair(database: Database, name: str) -> tuple[EmbeddingModel, EmbeddingModel]:
    """The model of that name and the active one, as they are now."""
    with database.owner() as connection:
        return find_model(connection, name).model, fetch_active_model(connection)


def _check_state(model: EmbeddingModel, *, is_waiting: bool) -> None:
    name = model.name
    if model.state == "retired":
        raise ModelStateError(
            f"{name} is retired and has no vectors; make them with `brain models backfill {name}`, then promote it"
        )
    if model.state != "ready" and not is_waiting:
        raise ModelStateError(
            f"{name} is in state {model.state}; expected ready. Finish `brain models backfill {name}` first, or have it done "
            f"now with `brain models promote {name} --wait`"
        )


def _completed(
    database: Database, model: EmbeddingModel, embedder: Embedder, on_progress: Progress
) -> ModelBackfillReport:
    """Fill in all that is missing at this moment, and see that the index is there; both cost little the second time."""
    report = fill_model(database, model, embedder, on_progress=on_progress)
    if report.failed:
        first = report.failures[0]
        raise ModelStateError(
            f"{model.name} gave no vector for {report.failed} chunks, such as one of {first.note}: {first.reason} Change or "
            "delete these notes, or take another model"
        )
    settle_model(database, model)
    _await_index(database, model)
    return report


def _await_index(database: Database, model: EmbeddingModel) -> None:
    until = time.monotonic() + INDEX_SECONDS
    while is_index_due(database, model):  # another process may be making it
        if time.monotonic() > until:
            raise ModelStateError(f"the vector index of {model.name} was not made within {INDEX_SECONDS} s; try again")
        if not ensure_vector_index(database, model):
            time.sleep(_POLL_SECONDS)


def _explain_rounds(model: EmbeddingModel, promotion: ModelPromotion) -> str:
    missing = ", ".join(f"{count} of {tenant}" for tenant, count in promotion.missing.items())
    return (
        f"{model.name} was not promoted in {ROUNDS} attempts: {promotion.obstacle}{f' ({missing})' if missing else ''}. Notes are "
        "being written all the time; wait until the import under way is done, and try again. Nothing changed"
    )
