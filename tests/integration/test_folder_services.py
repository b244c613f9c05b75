"""Folders whose files Docling reads: stored as such, not asked again, and never sent to the cloud."""

from pathlib import Path

import pytest
from folders import Vault
from parsing_servers import ParsingServer
from parsing_servers import parsing_server as parsing_server  # noqa: PLC0414 - a fixture, re-exported to pytest

from rag_core.model.note import TenantId
from rag_core.storage.database import Database


@pytest.fixture
def vault(
    tmp_path: Path,
    database: Database,
    tenant: TenantId,
    parsing_server: ParsingServer,
    monkeypatch: pytest.MonkeyPatch,
) -> Vault:
    parsing_server.key = "k"
    for name, value in {
        "BRAIN_DOCLING_URL": parsing_server.url,
        "BRAIN_DOCLING_API_KEY": "k",
        "BRAIN_PARSER_PRIMARY": "docling",
        "BRAIN_LLAMAPARSE_ENABLED": "true",
        "BRAIN_LLAMAPARSE_URL": parsing_server.url,
        "BRAIN_LLAMAPARSE_CLASSIFICATIONS": "public",
        "LLAMAPARSE_API_KEY": "k",
    }.items():
        monkeypatch.setenv(name, value)
    folder = Vault(path=tmp_path / "vault", database=database, tenant=tenant)
    folder.write("a.html", "<h1>Hola</h1><p>Uno.</p>")
    return folder


def test_files_are_read_by_docling_once(vault: Vault, parsing_server: ParsingServer) -> None:
    assert vault.statuses() == {"a.html": "imported"}
    assert vault.rows("select parser, parser_confidence from documents") == [("html/1+docling", 0.9)]
    assert vault.notes()["a.html"].startswith("# Bericht")

    assert vault.statuses() == {"a.html": "unchanged"}
    assert parsing_server.paths == ["/v1/convert/file"]


def test_a_server_that_is_down_costs_a_warning(vault: Vault, parsing_server: ParsingServer) -> None:
    parsing_server.fault = "drop"

    (file,) = vault.take().files

    assert (file.status, file.parser, vault.notes()) == ("imported", "html/1", {"a.html": "# Hola\n\nUno."})
    assert file.warnings == (
        "native read the file instead, because docling could not read the file (Docling cannot be reached (RemoteProtocolError))",
    )
    assert set(parsing_server.paths) == {"/v1/convert/file"}
