"""A run, or one run against another, as one HTML file that needs nothing else: no server, no network.

It is the page of ``rag_core.api.pages.evaluation.runs`` with its styles and its script inside, and what every query brought back
at its end.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from markupsafe import Markup

from rag_core.api.pages.evaluation.loading import known_notes, load_history, load_run
from rag_core.api.pages.evaluation.views import words
from rag_core.api.pages.evaluation.views.comparison import comparison_report
from rag_core.api.pages.evaluation.views.query import AppendixSheet, KnownNotes, appendix_sheet, query_anchor
from rag_core.api.pages.evaluation.views.run import Chosen, run_report
from rag_core.api.pages.texts import tr
from rag_core.api.pages.web import STATIC_FOLDER, rendered
from rag_core.errors import NotFoundError
from rag_core.evaluation.comparison.comparability import refuse_different
from rag_core.evaluation.comparison.stored import compare_results
from rag_core.evaluation.report.addresses import comparison_address, run_address
from rag_core.model.evaluation import QueryResult, StoredRun
from rag_core.model.note import TenantId
from rag_core.promotion.served_runs import is_of_served
from rag_core.settings import Settings
from rag_core.storage.database import Database
from rag_core.storage.evaluations import fetch_run, list_runs

ALONE = "evaluation/alone.html"
MAX_RUNS = 500
"""Greatest number of runs searched for one of the served configuration."""


def run_to_report(database: Database, tenant: TenantId, run_id: UUID | None) -> StoredRun:
    """The run of that id; without one the newest of what was served, or the newest of all where none was.

    Raises:
        NotFoundError: there is no such run, or none yet.
    """
    with database.transaction(tenant) as connection:
        if run_id is not None:
            return fetch_run(connection, tenant, run_id)
        runs, history = list_runs(connection, tenant, limit=MAX_RUNS), load_history(connection, tenant)
    if not runs:
        raise NotFoundError("there is no evaluation run yet; brain evaluate makes one")
    return next((run for run in runs if is_of_served(run, history)), runs[0])


def run_file(database: Database, settings: Settings, tenant: TenantId, run_id: UUID) -> str:
    """The report of a run as one file.

    Raises:
        NotFoundError: the tenant has no such run, or its queries were not kept.
    """
    with database.transaction(tenant) as connection:
        run, results = load_run(connection, tenant, run_id)
        notes = known_notes(connection, tenant, results, zone=settings.zone)
        history = load_history(connection, tenant)
    report = run_report(run, results, zone=settings.zone, history=history, address_of=_anchor_address)
    return _alone(
        settings.zone,
        tenant,
        "evaluation/run.html",
        source=run_address(settings.api_url, tenant, run_id),
        appendix=[appendix_sheet([("", result)], notes) for result in results],
        report=report,
        chosen=Chosen(),
        compared_address=None,
        compared_is_baseline=False,
    )


def comparison_file(
    database: Database, settings: Settings, tenant: TenantId, run_id: UUID, baseline_id: UUID, *, is_common: bool
) -> str:
    """The report of a run against another one as one file.

    Raises:
        NotFoundError: the tenant has no such run, or its queries were not kept.
        IncomparableRunsError: they did not ask the same, and ``is_common`` does not allow for that.
    """
    with database.transaction(tenant) as connection:
        before, earlier = load_run(connection, tenant, baseline_id)
        after, now = load_run(connection, tenant, run_id)
        notes = known_notes(connection, tenant, [*earlier, *now], zone=settings.zone)
        history = load_history(connection, tenant)
    if not is_common:
        refuse_different(before, after.set_id, after.set_name, after.set_version, after.category)
    comparison, effects = compare_results(before, earlier, after, now)
    report = comparison_report(
        before,
        after,
        comparison,
        effects,
        zone=settings.zone,
        history=history,
        address_of=_anchor_address,
    )
    return _alone(
        settings.zone,
        tenant,
        "evaluation/compare.html",
        source=comparison_address(settings.api_url, tenant, baseline_id, run_id, is_common=is_common),
        appendix=_both(earlier, now, notes),
        report=report,
        turned=None,
    )


def _both(earlier: Sequence[QueryResult], now: Sequence[QueryResult], notes: KnownNotes) -> list[AppendixSheet]:
    """The queries that both runs asked, side by side."""
    before = {result.query_id: result for result in earlier}
    return [
        appendix_sheet([(tr("Antes"), before[result.query_id]), (tr("Después"), result)], notes)
        for result in now
        if result.query_id in before
    ]


def _anchor_address(query_id: UUID) -> str:
    return f"#{query_anchor(query_id)}"


def _alone(zone: ZoneInfo, tenant: TenantId, template: str, *, source: str, **values: object) -> str:
    """The template in the frame of a file, its static files inside."""
    styles = "\n".join((STATIC_FOLDER / name).read_text(encoding="utf-8") for name in ("style.css", "evaluation.css"))
    script = (STATIC_FOLDER / "evaluation.js").read_text(encoding="utf-8")
    return rendered(
        template,
        layout=ALONE,
        styles=Markup(styles),  # noqa: S704  ours
        script=Markup(script),  # noqa: S704  ours
        source=source,
        tenant=tenant,
        written_at=words.moment(datetime.now(UTC), zone),
        **values,
    )
