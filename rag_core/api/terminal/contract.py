"""Registration of the terminal's contract."""

from rag_core.api.contracts import CONTRACTS, Contract, Rule
from rag_core.api.terminal import commands
from rag_core.terminal.requests import PATH

CONTRACTS.register("terminal")(
    Contract(
        routers=(commands.router,),
        rules={
            PATH: Rule(reading=None, changing=None, about="whether it is this home's API"),
            f"{PATH}/search": Rule(reading="admin", changing="admin", about="`brain search`"),
            f"{PATH}/ask": Rule(reading="admin", changing="admin", about="`brain ask`", is_answering=True),
        },
    )
)
