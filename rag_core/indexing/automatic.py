"""Batches of automatic runs: the stale ones, but none in which legacy notes wait for the migration."""

from collections.abc import Collection
from dataclasses import dataclass

from rag_core.graph.statements import CausalExtractor
from rag_core.indexing.enriching import unenriched_batches
from rag_core.indexing.graph import stale_batches_with_graph
from rag_core.model.note import TenantId
from rag_core.storage.batches import list_batches, pending_batches, register_batches
from rag_core.storage.database import Database
from rag_core.storage.note_vectors import list_batches_without_vector


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexWork:
    """The tenant's batches that are to be made, newest first, and those that a run over a range may pass over."""

    wanted: list[str]
    passable: list[str]


def find_work(
    database: Database, tenant: TenantId, *, fingerprint: str, extractor: CausalExtractor, is_full: bool = False
) -> IndexWork:
    """Give new notes their batches, and find the stale ones, with ``is_full`` all; with nothing new nothing is written.

    A batch with pending legacy notes is neither wanted nor passed over: a run over it would migrate them. Only after a
    rollback, when none does, those are wanted that have a note without a vector of its own.
    """
    register_batches(database, tenant)
    pending = set(pending_batches(database, tenant))
    passable = [batch.key for batch in list_batches(database) if batch.tenant == tenant and batch.key not in pending]
    if is_full:
        return IndexWork(wanted=passable, passable=passable)
    stale = stale_batches_with_graph(database, tenant, fingerprint=fingerprint, extractor=extractor)
    unenriched = unenriched_batches(database, tenant)
    whole = list_batches_without_vector(database, tenant)
    return IndexWork(wanted=list(dict.fromkeys([*_without([*stale, *unenriched], pending), *whole])), passable=passable)


def _without(keys: list[str], left_out: Collection[str]) -> list[str]:
    return [key for key in keys if key not in left_out]
