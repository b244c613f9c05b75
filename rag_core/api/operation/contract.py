"""Registration of the operators' contract."""

from rag_core.api.contracts import CONTRACTS, Contract, Rule
from rag_core.api.operation import health, performance
from rag_core.runtime.performance import PATH as FIGURES

CONTRACTS.register("operation")(
    Contract(
        routers=(health.router, performance.router),
        rules={
            "/healthz": Rule(reading=None, changing=None, about="whether the process answers"),
            "/readyz": Rule(reading=None, changing=None, about="whether it can work"),
            "/openapi.json": Rule(reading=None, changing=None, about="the description of the API"),
            FIGURES: Rule(reading="admin", changing="admin", about="figures of the process, all tenants' together"),
            performance.EXPOSITION: Rule(reading="admin", changing="admin", about="the same for Prometheus"),
        },
    )
)
