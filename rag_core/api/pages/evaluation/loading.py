"""Database reads of the evaluation's pages and files."""

from collections.abc import Collection
from uuid import UUID
from zoneinfo import ZoneInfo

from rag_core.api.pages.evaluation.views.query import KnownNotes
from rag_core.errors import NotFoundError
from rag_core.model.evaluation import QueryResult, StoredRun
from rag_core.model.note import TenantId
from rag_core.promotion.served_runs import ServingHistory, serving_history
from rag_core.storage.configurations import list_configurations, list_promotions
from rag_core.storage.database import Connection
from rag_core.storage.evaluations import fetch_query_results, fetch_run
from rag_core.storage.reports import fetch_note_titles

MAX_CONFIGURATIONS = 1000


def load_run(connection: Connection, tenant: TenantId, run_id: UUID) -> tuple[StoredRun, list[QueryResult]]:
    """A run with its queries.

    Raises:
        NotFoundError: the tenant has no such run, or its queries were not kept.
    """
    run, results = fetch_run(connection, tenant, run_id), fetch_query_results(connection, tenant, run_id)
    if not results:
        raise NotFoundError(f"run {run_id} has no queries to report on; brain evaluate makes a run that has")
    return run, results


def load_history(connection: Connection, tenant: TenantId) -> ServingHistory:
    """Load the history of served configurations, each with the time it began to be served."""
    configurations = list_configurations(connection, tenant, limit=MAX_CONFIGURATIONS)
    return serving_history(list_promotions(connection, tenant), configurations)


def known_notes(
    connection: Connection, tenant: TenantId, results: Collection[QueryResult], *, zone: ZoneInfo
) -> KnownNotes:
    """The notes that queries brought back or should have brought back, as far as they still exist."""
    mentioned = {note for one in results for note in (*one.ranked_note_ids, *one.relevant_note_ids)}
    return KnownNotes(titles=fetch_note_titles(connection, tenant, mentioned), zone=zone)
