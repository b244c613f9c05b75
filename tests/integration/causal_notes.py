"""Notes whose causal graph is read, asked and counted."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

import pytest

from rag_core.configuration.schema import GraphRag
from rag_core.graph.rules import RuleExtractor
from rag_core.graph.statements import CausalStatement, Extraction
from rag_core.indexing.graph import GraphReport, update_graph
from rag_core.model.note import NewNote, NoteId, TenantId
from rag_core.notes.validation import parse_note
from rag_core.retrieval.graph_paths import GraphHit, search_graph
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import register_batches

MakeNote = Callable[..., NoteId]
UpdateGraph = Callable[..., GraphReport]
Ask = Callable[..., list[GraphHit]]
SLEEP = "No dormí bien porque tomé café por la tarde."
LATE = "Al día siguiente llegué tarde a la reunión por no haber dormido bien."


@pytest.fixture
def read_notes(engine: Engine, tenant: TenantId) -> UpdateGraph:
    """Read every note of the tenant."""

    def run(owner: TenantId = tenant, **given: object) -> GraphReport:
        register_batches(engine.database, owner)
        return update_graph(engine.database, owner, _batches(engine, owner), **{"extractor": RuleExtractor(), **given})

    return run


@pytest.fixture
def ask(engine: Engine, tenant: TenantId) -> Ask:
    """Ask the tenant's graph in Spanish."""

    def search(question: str, *, owner: TenantId = tenant, **given: object) -> list[GraphHit]:
        asked = {
            "language": "es",
            "direction": "causes",
            "config": GraphRag(),
            "limit": 20,
            "timeout_ms": 5_000,
            **given,
        }
        return search_graph(engine.database, owner, question, **asked)

    return search


def _batches(engine: Engine, owner: TenantId) -> list[str]:
    with engine.database.owner() as connection:
        rows = connection.execute("select batch_key from brain.batches where tenant_id = %s", [owner]).fetchall()
    return [row[0] for row in rows]


def _new_note(text: str, *, external_id: str = "a", source: str = "notas") -> NewNote:
    return parse_note(
        external_id=external_id,
        source=source,
        title=None,
        text=text,
        created_at=None,
        language="es",
        metadata=None,
        zone=ZoneInfo("Europe/Madrid"),
        max_characters=1_000_000,
    )


def _rows(engine: Engine, table: str) -> int:
    with engine.database.owner() as connection:
        row = connection.execute(f"select count(*) from brain.{table}").fetchone()
    assert row is not None
    return row[0]


def _snapshot(engine: Engine) -> list[tuple[object, ...]]:
    with engine.database.owner() as connection:
        return connection.execute("select xmin::text, * from brain.relations order by relation_id").fetchall()


class FixedExtractor:
    """An extractor of a later version that reads one statement in every note."""

    fingerprint = "fixed-1"

    def __init__(self, cause: str, effect: str, *, given: str = "fixed-1") -> None:
        self.cause, self.effect, self.given = cause, effect, given

    def extract(self, text: str, *, language: object, sentences: object) -> Extraction:
        spans = [(text.index(part), text.index(part) + len(part)) for part in (self.cause, self.effect)]
        statement = CausalStatement(
            cause=spans[0], effect=spans[1], kind="CAUSES", evidence=(0, len(text)), confidence=1.0
        )
        return Extraction(statements=(statement,), fingerprint=self.given)
