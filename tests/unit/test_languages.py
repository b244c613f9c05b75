"""A language is one folder, complete when it is loaded."""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from rag_core import language as folders
from rag_core.errors import LanguageError
from rag_core.language import LANGUAGES, find_languages
from rag_core.language.languages import LanguageWords, language_of, load_language

HOME = Path(folders.__path__[0])
FILES = {"__init__", *(field.name for field in fields(LanguageWords))}


@pytest.fixture
def new_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a language "xx" with the words of English."""
    monkeypatch.setattr(folders, "__path__", [*folders.__path__, str(tmp_path)])
    folder = tmp_path / "xx"
    shutil.copytree(HOME / "en", folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in folder.glob("*.py"):
        file.write_text(file.read_text().replace("rag_core.language.en", "rag_core.language.xx"))
    yield folder
    for name in [name for name in sys.modules if name.startswith("rag_core.language.xx")]:
        del sys.modules[name]


def test_spanish_is_the_first_language() -> None:
    assert LANGUAGES == ("es", "de", "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_folder_has_the_same_files(language: str) -> None:
    assert {file.stem for file in (HOME / language).glob("*.py")} == FILES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_is_complete(language: str) -> None:
    assert load_language(language).times.months


@pytest.mark.parametrize("language", LANGUAGES)
def test_months_are_named_in_one_file(language: str) -> None:
    july, august = language_of(language).times.month_names[6:8]

    naming = [file for file in HOME.parent.rglob("*.py") if f"{july} {august}" in file.read_text()]

    assert naming == [HOME / language / "times.py"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_database_knows_every_language(language: str) -> None:
    schema = (HOME.parent / "storage" / "schema.sql").read_text()
    stemmer = language_of(language).traits.stemmer
    configuration = schema.partition("FUNCTION brain.text_search_configuration")[2].partition(";")[0]

    assert f"'{stemmer}'::regconfig" in configuration
    assert all(f"'{language}'::text" in line for line in schema.splitlines() if "_language_check CHECK" in line)


def test_words_are_reached_as_values() -> None:
    assert language_of("es").times.month_names[0] == "enero"
    assert "mit" in language_of("de").stop_words.function_words


def test_a_folder_is_enough_for_a_new_language(new_language: Path) -> None:
    assert find_languages() == ("es", "de", "en", "xx")
    assert load_language("xx") == language_of("en")


def test_all_that_is_missing_is_named(new_language: Path) -> None:
    (new_language / "questions.py").unlink()
    (new_language / "context.py").write_text('"""No value."""\n')
    times = new_language / "times.py"
    times.write_text(times.read_text().replace("    month_names=MONTHS,\n", ""))

    with pytest.raises(LanguageError) as raised:
        load_language("xx")

    message = str(raised.value)
    assert message.startswith("language 'xx' is incomplete: ")
    assert "no file xx/questions.py" in message
    assert "xx/context.py has no CONTEXT of type ContextWording" in message
    assert "xx/times.py: " in message
    assert "'month_names'" in message


def test_a_folder_that_does_not_exist_lacks_every_file() -> None:
    with pytest.raises(LanguageError, match=r"language 'yy' is incomplete: no file yy/answer_types\.py; "):
        load_language("yy")
