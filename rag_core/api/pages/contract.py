"""Registration of the web pages."""

from rag_core.api.contracts import CONTRACTS, Contract, Rule
from rag_core.api.pages import (
    ask,
    documents,
    entities,
    graph,
    library,
    login,
    note_editing,
    note_history,
    opinions,
    search,
)
from rag_core.api.pages.evaluation import overview, runs, work

CONTRACTS.register("pages")(
    Contract(
        routers=(
            login.router,
            note_editing.router,
            note_history.router,
            search.router,
            ask.router,
            documents.router,
            entities.router,
            graph.router,
            library.router,
            opinions.router,
            overview.router,
            runs.router,
            work.router,
        ),
        rules={
            "/static": Rule(reading=None, changing=None, about="style and script of the page"),
            "/entrar": Rule(reading=None, changing=None, about="signing in on the page", is_page=True),
            "/salir": Rule(reading=None, changing=None, about="signing out", is_page=True),
            "/": Rule(reading="read", changing="admin", about="the search page", is_page=True),
            "/entidad": Rule(reading="read", changing="admin", about="an entity's page", is_page=True),
            "/grafo": Rule(reading="read", changing="admin", about="graphs of entities and notes", is_page=True),
            "/notas": Rule(reading="read", changing="write", about="the list of notes, a note's page", is_page=True),
            "/preguntar": Rule(
                reading="read", changing="read", about="the page that answers", is_answering=True, is_page=True
            ),
            "/documentos": Rule(
                reading="read",
                changing="write",
                about="uploads and folders",
                is_page=True,
                takes_files=True,
                is_for_departments=True,
            ),
            "/opinion": Rule(reading="read", changing="read", about="a reader's opinion of an answer", is_page=True),
            "/evaluation": Rule(
                reading="evaluate", changing="admin", about="the pages about evaluations", is_page=True
            ),
        },
    )
)
