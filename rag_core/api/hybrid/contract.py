"""Registration of the contract of the Hybrid pipeline."""

from rag_core.api.contracts import CONTRACTS, Contract, MessageLanguage, Rule
from rag_core.api.hybrid import feedback, ingest, query, sessions

CONTRACTS.register("hybrid")(
    Contract(
        routers=(query.router, feedback.router, sessions.router, ingest.router),
        rules={
            "/api/query": Rule(reading="read", changing="read", about="asking", is_answering=True),
            "/api/feedback": Rule(reading="read", changing="read", about="what people think of an answer"),
            "/api/sessions": Rule(reading="read", changing="read", about="one's own conversations"),
            "/api/ingest": Rule(
                reading="read", changing="write", about="documents that are fetched", is_for_departments=True
            ),
        },
        languages={path: MessageLanguage(own="en", is_clients=True) for path in ("/api/query", "/api/ingest")},
    )
)
