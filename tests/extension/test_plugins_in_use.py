"""Plugins, used through the `brain` command."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filling import Filled, store_note

from rag_core.runtime.engine import DEFAULT_TENANT
from rag_core.settings import read_settings
from rag_core.storage.database import open_database

pytestmark = pytest.mark.slow

Brain = Callable[..., Any]
SAMPLE = Path(__file__).with_name("sample_plugin.py")
NOTES = {
    "caldera": "La caldera se revisa en mayo.\nEl técnico llama antes.\nCobra 180 euros por la caldera.",
    "corta": "Caldera nueva.",
    "jardin": "En el jardín hay un zumaque.",
}


@pytest.fixture
def beginning(filled: Filled) -> str:
    """Three notes, stored and not yet indexed."""
    return filled("notes_of_plugins", _fill)


def _fill(url: str) -> None:
    with open_database(read_settings(database_url=url)) as database:
        for name, text in NOTES.items():
            store_note(database, DEFAULT_TENANT, text, external_id=name)


@pytest.fixture
def brain(database_url: str, tmp_path: Path) -> Brain:
    """Run `brain` with the sample plugin installed; the JSON on stdout. Keywords are further variables."""
    package = tmp_path / "plugins/brain_sample"
    package.mkdir(parents=True)
    shutil.copy(SAMPLE, package / "__init__.py")

    def run(*words: str, status: int = 0, **variables: str) -> Any:
        environment = os.environ | {
            "DATABASE_URL": database_url,
            "BRAIN_HOME": str(tmp_path / "home"),
            "BRAIN_LANGUAGE": "en",
            "BRAIN_PLUGINS": "brain_sample",
            "PYTHONPATH": str(package.parent),
        }
        done = subprocess.run(
            [Path(sys.executable).with_name("brain"), *words, "--json"],
            env=environment | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return json.loads(done.stdout)

    return run


def found(document: Any) -> list[str]:
    return [result["externalId"] for result in document["results"]]


def test_a_chunker_cuts_the_notes(brain: Brain) -> None:
    indexed = brain("index", BRAIN_CHUNKER="lines")

    assert indexed["chunks"] == 5


def test_a_reranker_of_a_configuration_orders_what_is_found(brain: Brain, tmp_path: Path) -> None:
    configuration = tmp_path / "configuration.json"
    configuration.write_text('{"reranking": {"provider": "shortest"}}')

    document = brain("search", "caldera", "--config", str(configuration))

    assert found(document)[0] == "corta"


def test_a_reranker_of_the_settings_orders_what_is_found(brain: Brain) -> None:
    assert found(brain("search", "caldera", BRAIN_RERANKER="shortest"))[0] == "corta"


def test_an_embedding_provider_finds_what_was_indexed_with_it(brain: Brain) -> None:
    brain("models", "add", "letters-26", "--provider", "letters")
    brain("models", "promote", "letters-26", "--wait")
    brain("index")

    document = brain("search", "zumaque jardín en el hay un", "--strategy", "semantic")

    assert found(document)[0] == "jardin"


def test_a_chat_provider_writes_the_answer(brain: Brain) -> None:
    document = brain("ask", "¿Cuándo se revisa la caldera?", BRAIN_CHAT_PROVIDER="parrots", BRAIN_CHAT_MODEL="paco")

    assert "la caldera se revisa en mayo" in json.dumps(document, ensure_ascii=False)


def test_a_metric_is_computed_by_an_evaluation(brain: Brain, tmp_path: Path) -> None:
    golden = tmp_path / "golden.jsonl"
    golden.write_text('{"query": "caldera nueva", "relevant_ids": ["corta"]}')
    brain("golden", "import", str(golden))

    report = brain("evaluate", "--strategy", "fulltext")

    assert report["metrics"]["patience"] == 1.0


def test_a_metric_of_answers_is_computed_by_an_evaluation(brain: Brain, tmp_path: Path) -> None:
    golden = tmp_path / "golden.jsonl"
    golden.write_text(
        '{"query": "¿Cuándo se revisa la caldera?", "relevant_ids": ["caldera"], "expected_answer": "En mayo"}'
    )
    brain("golden", "import", str(golden))

    answers = brain("evaluate", "--answers")["answers"]

    assert 0 < answers["means"]["short_and_sweet"] < 1
    assert answers["counts"]["short_and_sweet"] == 1


def test_an_unknown_name_is_an_error_that_lists_the_plugins_too(brain: Brain) -> None:
    refused = brain("search", "caldera", status=1, BRAIN_RERANKER="longest")

    assert "BRAIN_RERANKER='longest'" in refused["error"]
    assert "shortest" in refused["error"]


def test_a_plugin_that_cannot_be_imported_is_named(brain: Brain) -> None:
    refused = brain("search", "caldera", status=1, BRAIN_PLUGINS="no_such_plugin")

    assert "no_such_plugin" in refused["error"]
