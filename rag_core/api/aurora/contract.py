"""Registration of the contract of AuroraNotes."""

from rag_core.api.aurora import chat
from rag_core.api.contracts import CONTRACTS, Contract, MessageLanguage, Rule

CONTRACTS.register("aurora")(
    Contract(
        routers=(chat.router,),
        rules={"/chat": Rule(reading="read", changing="read", about="asking", is_answering=True)},
        languages={"/chat": MessageLanguage(own="es", is_clients=True)},
    )
)
