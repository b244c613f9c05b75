"""The frame of the evaluation pages: whose notes they are about, and what a link to somebody else's says."""

from collections.abc import Sequence
from typing import Any

from fastapi import Response

from rag_core.api.access import Context
from rag_core.api.errors import ExplainedError
from rag_core.api.pages.web import render
from rag_core.errors import NotFoundError
from rag_core.model.note import TenantId
from rag_core.runtime.engine import DEMO_TENANT

HOME = ("Buscar en las notas", "/")
OVERVIEW = ("Evaluación", "/evaluation")


def framed(
    tenant: TenantId, template: str, *, path: Sequence[tuple[str, str]] = (HOME, OVERVIEW), **values: Any
) -> Response:
    """The template as a page that names the tenant in its head."""
    return render(
        template,
        layout="evaluation/page.html",
        path=path,
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
            f"Este enlace es de las notas de «{tenant}», y este servidor enseña las de «{own}». Para verlo, arranca el servidor "
            f"con BRAIN_TENANT={tenant}",
            kind=NotFoundError,
        )


def not_here(details: str, tenant: TenantId) -> str:
    """Message for something that is not among the tenant's, whether or not another tenant has it."""
    return (
        f"{details} entre las evaluaciones de «{tenant}», que son las que enseña este servidor. Para ver las de otras notas, "
        f"arráncalo con BRAIN_TENANT"
    )
