"""What Brain Sync needs, checked one by one, each finding with its remedy."""

import socket
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from rag_core.engine import Engine, open_engine
from rag_core.errors import RagError
from rag_core.settings import Settings, read_settings
from rag_core.storage.migrate import read_migrations
from rag_core.storage.queries import query


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One check: what was found, and what to do when it is not well."""

    name: str
    is_ok: bool
    found: str
    remedy: str = ""

    def to_json(self) -> dict[str, object]:
        """The finding as JSON."""
        return {"name": self.name, "ok": self.is_ok, "found": self.found, "remedy": self.remedy}


def examine() -> list[Finding]:
    """Every check; those that need the database are left out when it cannot be opened."""
    try:
        settings = read_settings()
    except RagError as error:
        return [Finding(name="settings", is_ok=False, found=str(error), remedy="correct the environment variable")]
    return [
        Finding(name="settings", is_ok=True, found=f"home {settings.home}, time zone {settings.timezone}"),
        *_database(settings),
        _ollama(settings),
    ]


def _database(settings: Settings) -> Iterator[Finding]:
    try:
        with open_engine(settings) as engine:
            yield from _server(engine)
            yield _model(engine)
    except RagError as error:
        yield Finding(name="database", is_ok=False, found=str(error), remedy="as the message says")


def _server(engine: Engine) -> Iterator[Finding]:
    with engine.database.owner() as connection:
        row = connection.execute(query("doctor")).fetchone()
    assert row is not None
    server, pgvector, can_bypass, open_tables, migration = row
    kind = "DATABASE_URL" if engine.settings.database_url else "embedded"
    yield Finding(name="PostgreSQL", is_ok=True, found=f"{server}, {kind}")
    yield Finding(name="pgvector", is_ok=True, found=pgvector)
    yield Finding(name="schema", is_ok=migration == len(read_migrations()), found=f"migration {migration}", remedy="")
    yield Finding(
        name="tenant isolation",
        is_ok=can_bypass is False and open_tables == 0,
        found=f"role brain_app {'CAN' if can_bypass else 'cannot'} bypass row-level security, {open_tables} tables without it",
        remedy="" if can_bypass is False and open_tables == 0 else "ALTER ROLE brain_app NOSUPERUSER NOBYPASSRLS",
    )


def _model(engine: Engine) -> Finding:
    model = engine.model
    return Finding(
        name="embedding model",
        is_ok=True,
        found=f"{model.name}, {model.dimensions} dimensions, provider {model.provider}, fusion {model.fusion_method}",
    )


def _ollama(settings: Settings) -> Finding:
    """Ollama is optional: its absence is said, and is no failure."""
    address = urlsplit(settings.ollama_host if "//" in settings.ollama_host else f"//{settings.ollama_host}")
    try:
        socket.create_connection((address.hostname or "127.0.0.1", address.port or 11434), timeout=1).close()
    except OSError:
        return Finding(
            name="Ollama",
            is_ok=True,
            found=f"nobody answers at {settings.ollama_host}; not needed, everything runs without",
        )
    return Finding(
        name="Ollama",
        is_ok=True,
        found=f"answers at {settings.ollama_host}; it embeds once a model of provider `ollama` is registered and promoted",
    )
