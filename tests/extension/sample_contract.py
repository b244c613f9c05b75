"""A plugin that adds a contract of the API; a copy of it is what the tests install."""

from fastapi import APIRouter

from rag_core.api.access import Context
from rag_core.api.contracts import CONTRACTS, Contract, MessageLanguage, Rule
from rag_core.storage.notes import count_notes

router = APIRouter(prefix="/parrot")


@router.get("/notes")
def count(context: Context) -> dict[str, int]:
    with context.transaction() as connection:
        return dict(count_notes(connection, context.tenant))


CONTRACTS.register("parrot")(
    Contract(
        routers=(router,),
        rules={"/parrot": Rule(reading="read", changing="write", about="counting notes")},
        languages={"/parrot": MessageLanguage(own="en")},
    )
)
