"""Registration of the contract of RAG V2."""

from rag_core.api.contracts import CONTRACTS, Contract, MessageLanguage, Rule
from rag_core.api.rag_v2 import (
    benchmark,
    chat,
    comparison,
    documents,
    evaluation,
    golden,
    page_pictures,
    search,
    tuning,
)

CONTRACTS.register("rag_v2")(
    Contract(
        routers=(
            search.router,
            chat.router,
            comparison.router,
            evaluation.router,
            benchmark.router,
            tuning.router,
            golden.router,
            documents.router,
            page_pictures.router,
        ),
        rules={
            "/api/v2/rag": Rule(reading="read", changing="read", about="searching"),
            "/api/v2/rag/chat": Rule(reading="read", changing="read", about="asking", is_answering=True),
            "/api/v2/documents": Rule(reading="read", changing="write", about="documents", is_for_departments=True),
            "/api/v2/documents/upload": Rule(
                reading="write",
                changing="write",
                about="uploads of documents",
                takes_files=True,
                is_for_departments=True,
            ),
            "/api/v2/evaluation": Rule(
                reading="evaluate", changing="evaluate", about="golden sets, evaluations, tuning"
            ),
        },
        languages={"/api/v2": MessageLanguage(own="de")},
    )
)
