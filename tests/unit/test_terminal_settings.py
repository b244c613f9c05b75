"""Settings under which the API may answer in a command's place, and what such a command imports."""

import subprocess
import sys
from pathlib import Path

import pytest

from rag_core.api.terminal.same_settings import OF_NO_ANSWER, differing_variables
from rag_core.settings import Settings, read_settings

HEAVY = ("numpy", "psycopg", "fastapi", "rag_core.settings", "rag_core.storage", "rich.markdown")


def settings_under(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> Settings:
    with monkeypatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        return read_settings()


@pytest.mark.parametrize(
    ("api", "command", "differing"),
    [
        ({}, {}, []),
        ({}, {"BRAIN_TENANT": "", "brain_timezone": "Europe/Madrid", "BRAIN_CHAT_MODEL": ""}, []),
        ({"BRAIN_TENANT": "ana"}, {}, ["BRAIN_TENANT"]),
        ({}, {"BRAIN_TENANT": "ana"}, ["BRAIN_TENANT"]),
        ({"BRAIN_TENANT": "ana"}, {"BRAIN_TENANT": "ana"}, []),
        ({"DATABASE_URL": "postgresql://a/b"}, {}, ["DATABASE_URL"]),
        ({"OLLAMA_HOST": "http://a:1"}, {"OLLAMA_HOST": "http://a:2"}, ["OLLAMA_HOST"]),
        ({"BRAIN_RERANKER_API_KEY": "a"}, {"BRAIN_RERANKER_API_KEY": "b"}, ["BRAIN_RERANKER_API_KEY"]),
        ({"BRAIN_ACCESS": "keys"}, {}, ["BRAIN_ACCESS"]),
        ({}, {"BRAIN_TIMEZONE": "Nowhere/Land"}, ["BRAIN_TIMEZONE"]),
        ({}, {"BRAIN_ANSWER_SOURCES": "many"}, ["BRAIN_ANSWER_SOURCES"]),
        ({"BRAIN_API_PORT": "1", "BRAIN_LOG_LEVEL": "DEBUG", "BRAIN_ALERT_ERROR_RATE": "0.5"}, {}, []),
        ({}, {"BRAIN_UNHEARD_OF": "x", "BRAIN_LANGUAGE": "es"}, []),
    ],
    ids=str,
)
def test_variables_that_change_an_answer_are_compared_by_their_values(
    monkeypatch: pytest.MonkeyPatch, api: dict[str, str], command: dict[str, str], differing: list[str]
) -> None:
    monkeypatch.delenv("OLLAMA_HOST")

    assert differing_variables(settings_under(monkeypatch, api), command) == differing


def test_settings_that_change_no_answer_exist() -> None:
    assert set(Settings.model_fields) >= OF_NO_ANSWER


@pytest.mark.parametrize("module", ["asking", "searching"])
def test_a_command_that_asks_the_api_imports_little(tmp_path: Path, module: str) -> None:
    """Each of these takes as long as the answer."""
    code = f"import sys, rag_core.cli.{module}; print([name for name in {HEAVY!r} if name in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)

    assert done.stdout.strip() == "[]"
