"""Registration of the contract of OpenAI's clients."""

from rag_core.api.contracts import CONTRACTS, Contract, Rule
from rag_core.api.openai import chat, models
from rag_core.api.openai.failures import error_body

CONTRACTS.register("openai")(
    Contract(
        routers=(models.router, chat.router),
        rules={
            "/v1": Rule(
                reading="read", changing="read", about="OpenAI's clients", is_answering=True, error_body=error_body
            )
        },
    )
)
