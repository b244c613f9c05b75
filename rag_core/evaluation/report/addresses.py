"""Addresses of the pages of evaluation runs, for links from elsewhere. They name the tenant, since a server shows one tenant's."""

from urllib.parse import urlencode
from uuid import UUID

from rag_core.model.note import TenantId


def run_address(api_url: str, tenant: TenantId, run_id: UUID) -> str:
    """The page of a run."""
    return f"{api_url}/evaluation/runs/{run_id}?{urlencode({'tenant': tenant})}"


def comparison_address(
    api_url: str, tenant: TenantId, baseline: UUID, candidate: UUID, *, is_common: bool = False
) -> str:
    """The page of one run against another, of all that they asked or of what they have in common."""
    asked = {"baseline": baseline, "candidate": candidate, **({"common": 1} if is_common else {}), "tenant": tenant}
    return f"{api_url}/evaluation/compare?{urlencode(asked)}"
