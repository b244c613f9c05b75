"""Findings of `brain doctor` on Ollama and on the models that are to come from it."""

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from folders import Vault
from ollama_server import OllamaServer
from ollama_server import ollama_server as ollama_server  # noqa: PLC0414 - a fixture, re-exported to pytest
from openai_server import OpenAIServer
from openai_server import openai_server as openai_server  # noqa: PLC0414 - a fixture, re-exported to pytest
from parsing_servers import ParsingServer
from parsing_servers import parsing_server as parsing_server  # noqa: PLC0414 - a fixture, re-exported to pytest

from rag_core.access.keys import make_key
from rag_core.access.pseudonyms import pseudonyms
from rag_core.cli.messages import localised
from rag_core.model.access import KeyGrant
from rag_core.model.embedding import WantedModel
from rag_core.model.note import TenantId
from rag_core.model_change.backfill import settle_model
from rag_core.model_change.registration import register_model
from rag_core.operation import doctor
from rag_core.operation.doctor import DoctorFinding, examine
from rag_core.settings import read_settings
from rag_core.storage.api_keys import insert_key
from rag_core.storage.database import Database
from rag_core.storage.documents import record_folder_problem

SUPERVISOR = """
import os
import sys
from pathlib import Path
from rag_core.operation.running_parts import begin_record, only_one
with only_one(Path(sys.argv[1])):
    record = begin_record(Path(sys.argv[1]))
    record.note_started("api", os.getpid())
    record.note_ended("dagster-web", exit_status=-9, log=Path("/logs/dagster-web.log"))
    print("ready", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(autouse=True)
def _database(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url)


def findings(monkeypatch: pytest.MonkeyPatch, **variables: str) -> dict[str, DoctorFinding]:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return {finding.name: finding for finding in examine()}


def test_open_access_is_said_and_so_are_keys_that_nobody_is_asked_for(monkeypatch, database: Database) -> None:
    grant = KeyGrant(tenant=TenantId("casa"), name="ana", scopes=("read",))
    assert findings(monkeypatch)["access"].found == "open: whoever reaches 127.0.0.1:8000 reads and changes all notes"

    with database.owner() as connection:
        insert_key(connection, grant, make_key().presented)

    found = findings(monkeypatch)["access"]
    assert found.is_ok
    assert found.found.endswith("; 1 usable key that nobody is asked for until BRAIN_ACCESS=keys")


@contextmanager
def api_that_asks_for_keys() -> Iterator[str]:
    """Its port."""

    class AsksForKeys(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"status": "ok", "access": "keys"}')

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), AsksForKeys)
    threading.Thread(target=server.serve_forever).start()
    try:
        yield str(server.server_port)
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def supervisor(home: Path) -> Iterator[None]:
    """A `brain up` whose API runs and whose Dagster UI does not."""
    (home / "run").mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as up:
        assert up.stdout is not None
        up.stdout.readline()
        yield
        up.communicate(b"\n")


def test_access_is_that_of_the_api_that_runs_whatever_this_shell_says(
    monkeypatch, database: Database, tmp_path: Path
) -> None:
    with supervisor(tmp_path), api_that_asks_for_keys() as port:
        found = findings(monkeypatch, BRAIN_API_PORT=port, BRAIN_HOME=str(tmp_path))["access"]

    assert found.found.startswith("by key, 0 usable keys")


def test_what_another_home_at_the_port_asks_for_is_not_this_homes_access(
    monkeypatch, database: Database, tmp_path: Path
) -> None:
    with api_that_asks_for_keys() as port:
        found = findings(monkeypatch, BRAIN_API_PORT=port, BRAIN_HOME=str(tmp_path))["access"]

    assert found.found.startswith("open: ")


def test_open_access_from_elsewhere_is_a_failure_with_its_remedy(monkeypatch) -> None:
    found = findings(monkeypatch, BRAIN_API_HOST="0.0.0.0")["access"]

    assert not found.is_ok
    assert "`brain key create NAME`" in found.remedy


def test_a_part_that_is_down_is_a_failure_and_no_brain_up_is_none(monkeypatch, tmp_path: Path) -> None:
    assert findings(monkeypatch, BRAIN_HOME=str(tmp_path))["brain up"] == DoctorFinding(
        name="brain up", is_ok=True, found="does not run"
    )
    with supervisor(tmp_path):
        found = findings(monkeypatch, BRAIN_API_PORT="8011")["brain up"]

    assert not found.is_ok
    assert found.found == "runs; the page is http://127.0.0.1:8011/, Dagster http://127.0.0.1:3000/"
    assert found.remedy.startswith("dagster-web is down since ")


def test_asking_for_keys_that_nobody_has_is_a_failure(monkeypatch) -> None:
    found = findings(monkeypatch, BRAIN_ACCESS="keys")["access"]

    assert not found.is_ok
    assert found.found == "by key, 0 usable keys; the API listens on 127.0.0.1"
    assert found.remedy == "`brain key create NAME`"


def test_a_secret_that_others_can_read_is_a_failure(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.delenv("BRAIN_SECRET")
    assert "secret" not in findings(monkeypatch, BRAIN_HOME=str(tmp_path))
    pseudonyms(tmp_path)
    assert findings(monkeypatch)["secret"].is_ok

    (tmp_path / "secret").chmod(0o644)

    found = findings(monkeypatch)["secret"]
    assert not found.is_ok
    assert found.remedy == f"chmod 600 {tmp_path / 'secret'}"


def test_without_ollama_nothing_is_wrong_and_the_way_to_a_chat_model_is_told(monkeypatch) -> None:
    found = findings(monkeypatch)

    assert all(finding.is_ok for finding in found.values())
    assert "nobody answers at http://127.0.0.1:9" in found["Ollama"].found
    assert found["chat model"].found == "none; not needed, Ollama and BRAIN_CHAT_MODEL would give one"


def test_the_models_of_a_server_are_named(monkeypatch, ollama_server: OllamaServer) -> None:
    ollama_server.serve("llama3.2")
    ollama_server.serve("nomic-embed-text", dimensions=16)

    found = findings(monkeypatch, OLLAMA_HOST=ollama_server.url)

    assert "models: llama3.2:latest, nomic-embed-text:latest" in found["Ollama"].found
    assert "`ollama pull llama3.2` and BRAIN_CHAT_MODEL=llama3.2 would give one" in found["chat model"].found


def test_a_chat_model_that_is_there_is_named_with_how_it_is_used(monkeypatch, ollama_server: OllamaServer) -> None:
    ollama_server.serve("llama3.2")

    found = findings(monkeypatch, OLLAMA_HOST=ollama_server.url, BRAIN_CHAT_MODEL="llama3.2")

    assert found["chat model"].is_ok
    assert found["chat model"].found == "llama3.2, 5 calls at a time, without summaries for embedding"


def test_a_chat_model_that_was_never_pulled_is_a_failure_with_its_remedy(
    monkeypatch, ollama_server: OllamaServer
) -> None:
    found = findings(monkeypatch, OLLAMA_HOST=ollama_server.url, BRAIN_CHAT_MODEL="llama3.2")

    assert not found["chat model"].is_ok
    assert "`ollama pull llama3.2`" in found["chat model"].remedy


def test_a_chat_model_whose_server_is_not_there_is_a_failure_with_its_remedy(monkeypatch) -> None:
    found = findings(monkeypatch, BRAIN_CHAT_MODEL="llama3.2")

    assert found["Ollama"].is_ok
    assert not found["chat model"].is_ok
    assert "`ollama serve`" in found["chat model"].remedy


def test_a_chat_server_elsewhere_is_named_as_where_notes_go(monkeypatch, openai_server: OpenAIServer) -> None:
    openai_server.serve("gemma")
    given = {"BRAIN_CHAT_PROVIDER": "openai", "BRAIN_CHAT_MODEL": "gemma", "BRAIN_CHAT_API_KEY": "sk-planted"}

    near = findings(monkeypatch, **given, BRAIN_CHAT_URL=openai_server.url)["chat model"]
    elsewhere = openai_server.url.replace("127.0.0.1", "model.example")
    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *more, **named: resolve("127.0.0.1" if host == "model.example" else host, *more, **named),
    )
    far = findings(monkeypatch, **given, BRAIN_CHAT_URL=elsewhere)["chat model"]

    assert near.found == "gemma, 5 calls at a time, without summaries for embedding"
    assert far.is_ok
    assert far.found == (
        f"{near.found}; questions and passages of notes leave this machine unencrypted for {elsewhere}/v1"
    )


def test_a_chat_server_without_an_address_is_a_failure(monkeypatch) -> None:
    found = findings(monkeypatch, BRAIN_CHAT_PROVIDER="openai", BRAIN_CHAT_MODEL="gemma")["chat model"]

    assert not found.is_ok
    assert "BRAIN_CHAT_PROVIDER=openai needs BRAIN_CHAT_URL" in found.remedy


def test_an_embedding_model_is_no_chat_model(monkeypatch, ollama_server: OllamaServer) -> None:
    ollama_server.serve("nomic-embed-text", dimensions=16)

    found = findings(monkeypatch, OLLAMA_HOST=ollama_server.url, BRAIN_CHAT_MODEL="nomic-embed-text")

    assert found["chat model"].remedy == "nomic-embed-text can do embedding and not completion; choose another model"


def test_a_server_that_is_no_ollama_is_none(monkeypatch, ollama_server: OllamaServer) -> None:
    ollama_server.misbehave("garbage", path="/api/tags")

    assert "nobody answers" in findings(monkeypatch, OLLAMA_HOST=ollama_server.url)["Ollama"].found


def test_an_address_that_is_none_is_named(monkeypatch) -> None:
    found = findings(monkeypatch, OLLAMA_HOST="http://[bad")

    assert not found["Ollama"].is_ok
    assert "OLLAMA_HOST='http://[bad' is no address" in found["Ollama"].found


def test_an_active_embedding_model_of_ollama_that_is_not_there_is_a_failure(
    monkeypatch, ollama_server: OllamaServer, database
) -> None:
    with database.owner() as connection:
        connection.execute("update brain.embedding_models set name = 'nomic-embed-text', provider = 'ollama'")

    found = findings(monkeypatch, OLLAMA_HOST=ollama_server.url)

    assert not found["embedding model"].is_ok
    assert "`ollama pull nomic-embed-text`" in found["embedding model"].remedy


def test_an_embedding_model_that_is_not_registered_is_named_with_the_commands_that_put_it_to_use(
    monkeypatch, ollama_server: OllamaServer
) -> None:
    ollama_server.serve("llama3.2")
    ollama_server.serve("nomic-embed-text", dimensions=16)

    found = findings(monkeypatch, OLLAMA_HOST=ollama_server.url)["Ollama"].found

    assert found.endswith(
        "; nomic-embed-text can embed: `brain models add nomic-embed-text`, `brain models backfill nomic-embed-text`, "
        "`brain models evaluate nomic-embed-text`, `brain models promote nomic-embed-text`"
    )


def test_a_registered_model_is_not_offered_again_and_one_that_is_ready_is_named_with_the_next_step(
    monkeypatch, ollama_server: OllamaServer, database
) -> None:
    ollama_server.serve("nomic-embed-text", dimensions=16)
    wanted = WantedModel(name="nomic-embed-text", provider="ollama")
    registered = register_model(database, wanted, settings=read_settings(ollama_host=ollama_server.url))
    settle_model(database, registered.model)

    found = findings(monkeypatch, OLLAMA_HOST=ollama_server.url)

    assert "can embed" not in found["Ollama"].found
    assert "nomic-embed-text is ready" in found["embedding model"].found
    assert "`brain models promote nomic-embed-text` puts it in its place" in found["embedding model"].found


def test_services_that_parse_files_are_said_where_they_are_set_up(monkeypatch, parsing_server: ParsingServer) -> None:
    assert not {"Docling", "LlamaParse"} & findings(monkeypatch).keys()

    found = findings(monkeypatch, BRAIN_DOCLING_URL=parsing_server.url, BRAIN_LLAMAPARSE_ENABLED="true")

    assert (found["Docling"].is_ok, found["Docling"].found) == (True, f"answers at {parsing_server.url}")
    assert (found["LlamaParse"].is_ok, found["LlamaParse"].remedy) == (
        False,
        "set LLAMAPARSE_API_KEY, BRAIN_LLAMAPARSE_CLASSIFICATIONS",
    )


def test_text_recognition_is_said_or_how_to_have_it(monkeypatch) -> None:
    monkeypatch.setattr(doctor, "can_recognise", lambda: True)
    assert findings(monkeypatch)["text recognition"].found == "reads images and scanned pages"

    monkeypatch.setattr(doctor, "can_recognise", lambda: False)
    found = findings(monkeypatch)["text recognition"]
    monkeypatch.setenv("BRAIN_LANGUAGE", "es")
    assert found.is_ok
    assert "pip install 'brain-sync[ocr]'" in found.found
    assert localised(found.found).startswith("ninguno; las imágenes")


def test_files_that_leave_the_machine_are_said(monkeypatch) -> None:
    found = findings(
        monkeypatch,
        BRAIN_DOCLING_URL="http://docling.invalid:5001",
        BRAIN_LLAMAPARSE_ENABLED="true",
        BRAIN_LLAMAPARSE_CLASSIFICATIONS="public, press",
        LLAMAPARSE_API_KEY="k",
    )

    monkeypatch.setenv("BRAIN_LANGUAGE", "es")
    docling, llamaparse = found["Docling"], found["LlamaParse"]
    assert (docling.is_ok, docling.found) == (
        False,
        "does not answer at http://docling.invalid:5001; files leave this machine unencrypted for http://docling.invalid:5001",
    )
    assert localised(docling.found) == (
        "no responde en http://docling.invalid:5001; los archivos salen de esta máquina sin cifrar hacia http://docling.invalid:5001"
    )
    assert (llamaparse.is_ok, llamaparse.found) == (
        True,
        "reads uploads classified press, public; files leave this machine for https://api.cloud.llamaindex.ai",
    )


def test_files_of_folders_that_were_not_taken_are_told_with_the_command_that_lists_them(
    monkeypatch, database: Database, tmp_path: Path
) -> None:
    vault = Vault(path=tmp_path, database=database, tenant=TenantId("casa"), source="Mis notas")
    vault.write("a.md", "Hola")
    vault.take()
    assert "folders" not in findings(monkeypatch)

    vault.write("b.pdf", b"%PDF-1.7 roto")
    vault.take()

    found = findings(monkeypatch)["folders"]
    assert (found.is_ok, found.found) == (True, "files of Mis notas that could not be taken: 1")
    assert found.remedy == "see `brain folder status 'Mis notas' --problems`"


def test_what_following_a_folder_left_undone_fails(monkeypatch, database: Database, tmp_path: Path) -> None:
    vault = Vault(path=tmp_path, database=database, tenant=TenantId("casa"))
    vault.write("a.md", "Hola")
    vault.take()
    with database.transaction(vault.tenant) as connection:
        record_folder_problem(connection, vault.tenant, "vault", "the folder is gone")

    found = findings(monkeypatch)["folders"]

    assert (found.is_ok, found.found) == (False, "the folder is gone")
    assert found.remedy == "see `brain folder status vault --problems`"
