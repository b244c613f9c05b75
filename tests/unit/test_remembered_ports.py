"""The ports that a home remembers."""

from pathlib import Path

import pytest

from rag_core.errors import ConfigurationError
from rag_core.home.remembered_ports import remember_ports
from rag_core.operation.supervisor import run_up
from rag_core.settings import read_settings


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that was given ports once."""
    monkeypatch.setenv("BRAIN_HOME", str(tmp_path))
    remember_ports(tmp_path, api_port=8010, dagster_port=3010)
    return tmp_path


@pytest.mark.usefixtures("home")
def test_commands_without_ports_use_those_that_the_home_was_given() -> None:
    settings = read_settings()

    assert (settings.api_port, settings.dagster_port) == (8010, 3010)
    assert (settings.api_url, settings.dagster_page) == ("http://127.0.0.1:8010", "http://127.0.0.1:3010")


@pytest.mark.usefixtures("home")
def test_the_environment_wins_over_what_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_API_PORT", "8123")

    assert (read_settings().api_port, read_settings().dagster_port) == (8123, 3010)


@pytest.mark.usefixtures("home")
def test_an_address_for_links_wins_over_the_remembered_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_API_URL", "https://notas.example")

    assert read_settings().api_url == "https://notas.example"


@pytest.mark.parametrize("text", ["", "[]", '{"api_port": "8010"}', '{"api_port": 70000}', '{"api_port": true}'])
def test_a_file_that_is_not_ours_is_ignored(home: Path, text: str) -> None:
    (home / "ports.json").write_text(text)

    assert read_settings().api_port == 8000


def test_one_port_for_both_is_refused_in_words(tmp_path: Path) -> None:
    settings = read_settings(home=tmp_path, api_port=8010, dagster_port=8010)

    with pytest.raises(ConfigurationError, match="BRAIN_API_PORT and BRAIN_DAGSTER_PORT are both 8010"):
        run_up(settings, say=print, announce=print)
