"""The frame of the evaluation pages: whose notes they are about, and what a link to somebody else's says."""

from collections.abc import Sequence
from typing import Any

from fastapi import Response

from rag_core.api.access import Context
from rag_core.api.errors import ExplainedError
from rag_core.api.pages.texts import tr
from rag_core.api.pages.web import render
from rag_core.errors import NotFoundError
from rag_core.model.note import TenantId
from rag_core.runtime.engine import DEMO_TENANT


def way(*pages: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """Names and addresses of the pages above one, from the search on."""
    return ((tr("Buscar en las notas"), "/"), *pages)


def overview_link() -> tuple[str, str]:
    """Name and address of the first page about evaluation."""
    return tr("Evaluación"), "/evaluation"


def framed(
    tenant: TenantId, template: str, *, path: Sequence[tuple[str, str]] | None = None, **values: Any
) -> Response:
    """The template as a page that names the tenant in its head."""
    return render(
        template,
        layout="evaluation/page.html",
        path=way(overview_link()) if path is None else path,
        tenant=tenant,
        is_demo=tenant == DEMO_TENANT,
        **values,
    )


def refuse_foreign_link(context: Context, tenant: str = "") -> None:
    """Say so when a link was made for the notes of another tenant than the one this server shows.

    Raises:
        ExplainedError: it was.
    """
    own = context.tenant
    if tenant and tenant != own:
        raise ExplainedError(
            tr(
                "Este enlace es de las notas de «{tenant}», y este servidor enseña las de «{own}». Para verlo, arranca el servidor "
                "con BRAIN_TENANT={tenant}",
                tenant=tenant,
                own=own,
            ),
            kind=NotFoundError,
        )


def not_here(details: str, tenant: TenantId) -> str:
    """Message for something that is not among the tenant's, whether or not another tenant has it."""
    return tr(
        "{details} entre las evaluaciones de «{tenant}», que son las que enseña este servidor. Para ver las de otras notas, "
        "arráncalo con BRAIN_TENANT",
        details=details,
        tenant=tenant,
    )
