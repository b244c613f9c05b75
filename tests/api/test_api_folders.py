"""Folders over the API: the state of each file, and why it was not taken, in Spanish."""

from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient
from folders import Vault

from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.documents import record_folder_problem


def test_each_file_is_told_with_its_state_and_reason(client: TestClient, engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    vault = Vault(path=tmp_path / "vault", database=engine.database, tenant=TenantId("default"))
    vault.write("a.md", "Uno")
    vault.write("b.pdf", b"%PDF-1.4")
    vault.take()
    with engine.database.transaction(vault.tenant) as connection:
        record_folder_problem(connection, vault.tenant, "vault", "the folder is empty")

    (folder,) = client.get("/api/folders").json()["folders"]
    told: dict[str, Any] = client.get(f"/api/folders/{folder['source']}").json()

    assert (folder["waiting"], folder["refused"], folder["problem"]) == (1, 1, "la carpeta está vacía")
    assert [(file["path"], file["state"]) for file in told["files"]] == [("a.md", "waiting"), ("b.pdf", "refused")]
    assert [file["error"] for file in told["files"]] == [
        None,
        "el archivo está dañado: no se puede abrir como PDF; vuelve a exportarlo",
    ]
    assert client.get("/api/folders/otra").status_code == 404
