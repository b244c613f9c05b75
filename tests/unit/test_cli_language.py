"""The command line speaks one language, and its catalogues are complete."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
import typer
from command_line import application, invoke
from sources import ROOT, SOURCES, nodes_of

from rag_core import errors
from rag_core.cli.app import _terminal_handler
from rag_core.cli.messages import LOCALE_VARIABLES, amount, language, localised, read_texts
from rag_core.telemetry.logs import log_degraded
from rag_core.translation import MessageTranslator, core_catalogue, document_catalogue

CLI = ROOT / "rag_core/cli"
API = ROOT / "rag_core/api"
LEAST_LETTERS = 4


@pytest.fixture
def anywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder without a home and an environment that names no language."""
    for name in ("BRAIN_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG", "BRAIN_HOME", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("anywhere")
class TestLanguage:
    @pytest.mark.parametrize(
        ("variables", "expected"),
        [
            ({}, "es"),
            ({"LANG": "C"}, "es"),
            ({"LC_ALL": "C.UTF-8", "LANG": "en_GB.UTF-8"}, "es"),
            ({"LANG": "es_ES.UTF-8"}, "es"),
            ({"LANG": "en_GB.UTF-8"}, "en"),
            ({"LANG": "de_DE.UTF-8"}, "es"),
            ({"LC_MESSAGES": "en_US", "LANG": "es_ES"}, "en"),
            ({"LC_ALL": "es_MX", "LC_MESSAGES": "en_US"}, "es"),
            ({"BRAIN_LANGUAGE": "en", "LC_ALL": "es_ES"}, "en"),
            ({"BRAIN_LANGUAGE": "fr", "LANG": "en_GB"}, "en"),
        ],
    )
    def test_is_brain_language_else_the_locale_else_spanish(
        self, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], expected: str
    ) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

        assert language() == expected

    @pytest.mark.parametrize(
        ("locale", "said"),
        [("C", "no hay notas en"), ("es_ES", "no hay notas en"), ("en_GB", "there are no notes at")],
    )
    def test_errors_of_the_core_follow_it(self, monkeypatch: pytest.MonkeyPatch, locale: str, said: str) -> None:
        monkeypatch.setenv("LC_ALL", locale)

        assert said in invoke("search", "tarta").stderr

    @pytest.mark.parametrize(
        ("locale", "said"), [("C", "Falta el argumento 'CONSULTA'"), ("en_GB", "Missing argument")]
    )
    def test_usage_errors_follow_it(self, monkeypatch: pytest.MonkeyPatch, locale: str, said: str) -> None:
        monkeypatch.setenv("LC_ALL", locale)

        done = invoke("search")

        assert done.exit_code == 2
        assert said in done.stderr

    @pytest.mark.parametrize(
        ("locale", "said"),
        [("C", ("Uso:", "Opciones", "Borra notas")), ("en_GB", ("Usage:", "Options", "Delete notes"))],
    )
    def test_help_follows_it(self, monkeypatch: pytest.MonkeyPatch, locale: str, said: tuple[str, ...]) -> None:
        monkeypatch.setenv("LC_ALL", locale)

        shown = invoke("delete", "--help").stdout

        assert [word for word in said if word not in shown] == []

    def test_what_the_core_says_in_spanish_is_english_where_english_is_spoken(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BRAIN_LANGUAGE", "en")

        assert localised("La consulta no puede estar vacía") == "The query is empty; give some words to search for"


@pytest.mark.usefixtures("anywhere")
class TestLocalised:
    def test_facts_are_kept(self) -> None:
        assert localised("no note is called 'x: y'; give its external id, source:id or uuid") == (
            "ninguna nota se llama 'x: y'; indica su id externo, fuente:id o uuid"
        )

    def test_a_cause_is_translated_in_its_turn(self) -> None:
        assert localised(
            "embedding model e5 was not asked: e5 failed of late and is being tried by one call; try again after it"
        ) == (
            "no se consultó al modelo de embeddings e5: e5 falló hace poco y una llamada lo está probando; inténtalo después"
        )

    @pytest.mark.parametrize(
        ("known", "told"), [("none", "existen: ninguno"), ("casa, none-such", "existen: casa, none-such")]
    )
    def test_a_list_of_names_is_left_and_an_empty_one_translated(self, known: str, told: str) -> None:
        message = f"no golden set is called 'x' (there is: {known}); fill it with brain golden import FILE --set x"

        assert f"({told});" in localised(message)

    def test_a_log_line_tells_the_part_and_its_error(self, caplog: pytest.LogCaptureFixture) -> None:
        log_degraded("likeness", TimeoutError("secret"))

        (record,) = caplog.records
        assert _terminal_handler().filter(record)
        assert _terminal_handler().format(record) == "brain: funciona sin una parte: likeness: TimeoutError"

    def test_no_log_line_tells_what_a_warning_of_the_result_does(self, caplog: pytest.LogCaptureFixture) -> None:
        log_degraded("names", TimeoutError("secret"), is_told=True)

        (record,) = caplog.records
        assert not _terminal_handler().filter(record)

    def test_what_no_template_fits_stays_as_it_is(self) -> None:
        assert localised("algo [raro]; y más") == "algo [raro]; y más"

    def test_numbers_go_with_the_noun(self) -> None:
        assert [amount(count, "note") for count in (1, 2)] == ["1 nota", "2 notas"]


@SOURCES
class TestCatalogues:
    @pytest.mark.parametrize(
        "catalogue",
        [
            *map(read_texts, ("texts", "words", "core", "usage")),
            *map(core_catalogue, ("en", "de")),
            *map(document_catalogue, ("es", "de")),
        ],
        ids=["texts", "words", "core", "usage", "English core", "German core", "Spanish documents", "German documents"],
    )
    def test_translations_have_the_placeholders_of_their_texts(self, catalogue: dict[str, str]) -> None:
        differing = {
            text: translated for text, translated in catalogue.items() if placeholders(text) != placeholders(translated)
        }

        assert differing == {}

    def test_every_text_of_the_command_line_is_translated_and_no_other(self) -> None:
        assert set(read_texts("texts")) == set(texts_of_the_command_line())

    def test_nothing_is_said_untranslated(self) -> None:
        assert [found for path in CLI.glob("*.py") for found in untranslated(path)] == []

    def test_every_message_in_the_catalogues_is_still_said(self) -> None:
        said = "\n".join(literals(ROOT / "rag_core") + literals(ROOT / "rag_assets"))

        gone = [
            text
            for catalogue in (read_texts("core"), core_catalogue("en"), document_catalogue("es"))
            for text in catalogue
            if not all(piece in said for piece in pieces(text))
        ]

        assert gone == []

    def test_the_languages_of_the_pages_have_the_same_messages_of_the_core(self) -> None:
        assert set(core_catalogue("de")) == set(core_catalogue("en"))
        assert set(document_catalogue("de")) == set(document_catalogue("es"))

    def test_every_error_has_its_translation(self) -> None:
        known = {shape(text) for text in [*read_texts("core"), *core_catalogue("en"), *document_catalogue("es")]}

        assert [found for found in sorted(raised()) if shape(found) not in known] == []

    def test_every_command_and_parameter_has_its_help(self) -> None:
        known = set(read_texts("help"))

        assert [text for text in help_texts(typer.main.get_command(application()), "brain") if text not in known] == []


def placeholders(text: str) -> set[tuple[str, str | None, str | None]]:
    return {(name, form, conversion) for _, name, form, conversion in Formatter().parse(text) if name}


def calls(path: Path) -> Iterator[ast.Call]:
    yield from (node for node in nodes_of(path) if isinstance(node, ast.Call))


def strings(node: ast.expr) -> list[str]:
    return [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]


def texts_of_the_command_line() -> Iterator[str]:
    """The literal texts given to ``tr``, ``headings`` and ``amount``."""
    for path in CLI.glob("*.py"):
        for call in calls(path):
            match call:
                case ast.Call(func=ast.Name(id="tr"), args=[text, *_]):
                    yield from strings(text)
                case ast.Call(func=ast.Name(id="headings"), args=texts):
                    yield from (each for text in texts for each in strings(text))
                case ast.Call(func=ast.Name(id="amount"), args=[_, ast.Constant(value=str(noun)), *plural]):
                    yield noun
                    yield from strings(plural[0]) if plural else [f"{noun}s"]


def untranslated(path: Path) -> Iterator[str]:
    """Sentences that are printed as they stand."""
    for call in calls(path):
        if isinstance(call.func, ast.Name) and call.func.id in {"say", "print", "progress", "batch_progress"}:
            for text in call.args[:1]:
                if isinstance(text, ast.Constant | ast.JoinedStr) and re.search(r"[a-z]{3,} [a-z]{2,}", literal(text)):
                    yield f"{path.name}:{call.lineno} {literal(text)}"


def literal(node: ast.expr) -> str:
    """A string as a template with empty placeholders; empty for what is none."""
    if isinstance(node, ast.Constant):
        return node.value.replace("{", "{{").replace("}", "}}") if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(literal(each) if isinstance(each, ast.Constant) else "{}" for each in node.values)
    return ""


def literals(folder: Path) -> list[str]:
    """Every piece of literal text of the Python files."""
    return [
        node.value
        for path in folder.rglob("*.py")
        for node in nodes_of(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def pieces(text: str) -> list[str]:
    """The literal pieces between the placeholders of a template, but for the shortest."""
    found = [piece.strip(" \n:;.,·()") for piece, *_ in Formatter().parse(text)]
    return [piece for piece in found if len(re.findall(r"\w", piece)) >= LEAST_LETTERS]


def shape(template: str) -> str:
    return "".join(f"{piece}{{}}" if name is not None else piece for piece, name, *_ in Formatter().parse(template))


def raised() -> Iterator[str]:
    """The templates with which errors of the tree are made, the API's own left out."""
    classes = {name for name, known in vars(errors).items() if isinstance(known, type)} | {"BadParameter"}
    for path in [*(ROOT / "rag_core").rglob("*.py"), *(ROOT / "rag_assets").glob("*.py")]:
        if path.is_relative_to(API):
            continue
        for call in calls(path):
            if call.args and ast.unparse(call.func).rpartition(".")[2] in classes:
                template = literal(call.args[0])
                if re.search(r"[a-z]{3,} [a-z]{2,}", template):
                    yield template


def help_texts(command, path: str) -> Iterator[str]:
    yield path
    for parameter in command.params:
        yield from filter(None, (parameter.help, parameter.metavar, parameter.rich_help_panel))
    for name, inner in getattr(command, "commands", {}).items():
        yield from help_texts(inner, f"{path} {name}")


@pytest.mark.parametrize(("named", "spoken"), [("es_ES.UTF-8", "es"), (" en ", "en"), ("EN", "en"), ("fr", "es")])
def test_the_setting_may_be_written_as_a_locale(monkeypatch: pytest.MonkeyPatch, named: str, spoken: str) -> None:
    for name in LOCALE_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BRAIN_LANGUAGE", named)

    assert language() == spoken


def test_a_message_that_repeats_long_input_is_left_as_it_is() -> None:
    assert localised("a " * 10_000) == "a " * 10_000


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            "the file is a 7z archive, which is not taken. Taken are: csv",
            "es un archivo 7z, que no se acepta.",
        ),
        (
            "the parser of pdf failed (KeyError in a.py, line 3); save the file again in the program it comes from",
            "el analizador de pdf ha fallado (KeyError in a.py, line 3); vuelve",
        ),
        (
            "the drawing of pages of pdf ran out of memory; split the file, or raise BRAIN_DOCUMENT_MEMORY_MB",
            "el dibujo de páginas de pdf se ha quedado sin memoria; divide",
        ),
        (
            "the folder is empty; the notes of 3 files stay until `brain import /x --prune --confirm-removals`",
            "la carpeta está vacía; las notas de 3 archivos",
        ),
        (
            "the file is damaged or cut off; save it again in the program it comes from",
            "el archivo está dañado o incompleto; vuelve",
        ),
    ],
)
def test_what_a_message_about_a_file_quotes_of_another_is_translated_too(message: str, told: str) -> None:
    assert MessageTranslator(document_catalogue("es")).translate(message).startswith(told)
