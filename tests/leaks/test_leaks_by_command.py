"""Nothing of another tenant comes out of a command that works for one tenant, whatever it is asked for."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from uuid import UUID

import click
import pytest
import typer
from command_line import Brain, application
from leak_planting import Secrets
from leak_requests import NOBODY

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("leaks"),  # one installation for all; its last test sees what all others did
]

OF_THE_INSTALLATION = {
    "alerts": "alerts are the operator's, of all tenants",
    "alerts close": "the same",
    "alerts test": "sends a message to whoever is told of alerts",
    "backup": "everything in one file",
    "restore": "the same back",
    "demo": "notes that come with the program",
    "doctor": "the server and the program",
    "down": "processes",
    "mcp": "the tools of /mcp, which the tests over HTTP ask",
    "folder watch": "follows folders of all tenants",
    "up": "processes",
    "serve": "the API, which the other tests ask",
    "models add": "models are of the installation",
    "models backfill": "every tenant's vectors",
    "models list": "models are of the installation",
    "models promote": "the same",
    "models retire": "the same",
    "tenant create": "the operator's, of all tenants",
    "tenant delete": "the same",
    "tenant limit": "the same",
    "tenant list": "the same",
    "tenant show": "the same",
}
"""Commands that work for no tenant in particular, and what of."""

Arguments = Callable[[Secrets, Path], list[list[str]]]


def _ids(secrets: Secrets) -> list[str]:
    return [*map(str, secrets.ids.values()), *secrets.names]


def _each(*words: str) -> Arguments:
    return lambda secrets, _folder: [[*words, one] for one in _ids(secrets)]


def _import(_secrets: Secrets, folder: Path) -> list[list[str]]:
    file = folder / "notas.jsonl"
    file.write_text('{"id": "propia", "text": "Una nota propia."}\n', encoding="utf-8")
    return [[str(file)]]


def _folder(_secrets: Secrets, folder: Path) -> list[list[str]]:
    own = folder / "propia"
    own.mkdir(exist_ok=True)
    (own / "propia.md").write_text("Una nota propia.", encoding="utf-8")
    return [[str(own)]]


def _golden_import(secrets: Secrets, folder: Path) -> list[list[str]]:
    file = folder / "preguntas.jsonl"
    lines = [f'{{"query": "¿Qué pasó {at}?", "relevant_ids": ["{one}"]}}' for at, one in enumerate(_ids(secrets))]
    file.write_text("\n".join(lines), encoding="utf-8")
    return [[str(file)]]


OF_A_TENANT: Mapping[str, Arguments] = {
    "ask": lambda secrets, _folder: (
        [[word] for word in secrets.words] + [["¿Y por qué?", "--session", str(secrets.ids["sessions"])]]
    ),
    "compare": lambda secrets, _folder: [[one, one] for one in _ids(secrets)],
    "conversations": lambda _secrets, _folder: [[]],
    "delete": _each(),
    "document archive": _each(),
    "document list": lambda _secrets, _folder: [[]],
    "document restore": _each(),
    "entity list": _each(),
    "entity merge": lambda secrets, _folder: [[one, one] for one in _ids(secrets)],
    "entity rename": lambda secrets, _folder: [[one, "propio"] for one in _ids(secrets)],
    "entity show": _each(),
    "entity split": lambda secrets, _folder: [[one, one] for one in _ids(secrets)],
    "evaluate": _each("--set"),
    "experiment list": lambda _secrets, _folder: [[]],
    "experiment show": _each(),
    "experiment start": lambda secrets, _folder: [
        ["propio", "--mode", "shadow", "--configuration", one] for one in ("1", "7")
    ],
    "experiment stop": _each(),
    "export": lambda secrets, folder: [
        [str(folder / "todas")],
        [str(folder / "lineas"), "--format", "jsonl"],
        [str(folder / "suyas"), "--source", secrets.names[-2]],
    ],
    "folder add": _folder,
    "why": lambda secrets, _folder: [[word, one] for word in secrets.words[:2] for one in _ids(secrets)[:4]],
    "folder list": lambda _secrets, _folder: [[]],
    "folder remove": _each(),
    "folder status": _each(),
    "golden accept": _each(),
    "golden baseline": _each(),
    "golden coverage": _each("--set"),
    "golden export": _each("--set"),
    "golden import": _golden_import,
    "golden list": lambda _secrets, _folder: [[]],
    "golden proposals": _each("--set"),
    "golden propose": lambda _secrets, _folder: [["--count", "5"]],
    "golden reject": _each(),
    "golden remove": _each(),
    "golden review": lambda _secrets, _folder: [[]],
    "golden verify": _each("--by", "alguien"),
    "import": _import,
    "index": lambda _secrets, _folder: [[]],
    "ingest": _import,
    "key create": lambda secrets, _folder: [[secrets.names[0]]],
    "key list": lambda _secrets, _folder: [[]],
    "key revoke": _each(),
    "migration attach": lambda _secrets, folder: [[str(folder / "nada.jsonl")]],
    "migration finish": lambda _secrets, _folder: [[]],
    "migration resume": lambda _secrets, _folder: [[]],
    "migration retry": lambda _secrets, _folder: [[]],
    "migration run": lambda _secrets, _folder: [[]],
    "migration status": lambda _secrets, _folder: [[]],
    "models benchmark": _each("--set"),
    "models calibrate": _each("--dry-run", "--set"),
    "models evaluate": _each("hashing", "--set"),
    "promote": lambda _secrets, _folder: [["1", "--dry-run"], ["7", "--dry-run"]],
    "report": lambda secrets, folder: [[one, "--output", str(folder / "report.html")] for one in _ids(secrets)],
    "rollback": lambda _secrets, _folder: [[]],
    "runs": lambda _secrets, _folder: [[]],
    "search": lambda secrets, _folder: (
        [[word] for word in (*secrets.words, *secrets.names)]
        + [[secrets.words[0], "--document", one] for one in _ids(secrets)]
        + [[secrets.words[0], "--source", secrets.names[-2], "--tag", secrets.names[-1]]]
    ),
    "status": lambda _secrets, _folder: [[]],
    "tune": lambda secrets, _folder: [["--dry-run", "--set", one] for one in secrets.names],
}
"""What each command is asked with the other tenant's names and ids."""


def commands() -> Iterator[str]:
    """Every command by its whole name."""

    def under(command: click.Command, *path: str) -> Iterator[str]:
        own = getattr(command, "commands", None)
        if own is None or command.invoke_without_command:  # type: ignore[attr-defined]
            yield " ".join(path)
        for name, one in (own or {}).items():
            yield from under(one, *path, name)

    return under(typer.main.get_command(application()))


@pytest.fixture
def database_url(installation) -> str:
    """The installation of all tests of leaks."""
    return str(installation.engine.settings.database_url)


@pytest.fixture
def printed(brain: Brain, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., str]:
    """Run a command as Ana, and give all that it prints or writes."""
    monkeypatch.setenv("BRAIN_TENANT", "ana")

    def run(name: str, words: list[str]) -> str:
        options = [] if name == "golden review" else ["--json"]
        done = brain(*name.split(), *words, *options, typed="\n" * 20)
        files = [path for path in tmp_path.rglob("*") if path.suffix in {".html", ".jsonl", ".md"} and path.is_file()]
        written = "".join(path.read_text(encoding="utf-8") for path in files)
        return done.output + written

    return run


def test_every_command_is_asked_or_is_nobodys_in_particular() -> None:
    assert set(commands()) == OF_A_TENANT.keys() | OF_THE_INSTALLATION.keys()
    assert not OF_A_TENANT.keys() & OF_THE_INSTALLATION.keys()


@pytest.mark.parametrize("name", sorted(OF_A_TENANT))
def test_nothing_of_another_tenant_is_printed(installation, printed, tmp_path: Path, name: str) -> None:
    secrets = installation.of_bruno
    asked = OF_A_TENANT[name](secrets, tmp_path)
    sent = " ".join(word for words in asked for word in words)
    if name == "golden import":
        sent += (tmp_path / "preguntas.jsonl").read_text(encoding="utf-8")

    found = "\n".join(printed(name, words) for words in asked)

    assert secrets.seen_in(found, sent=sent) == set()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("compare", "evaluation_runs"),
        ("delete", "notes"),
        ("experiment show", "experiments"),
        ("golden accept", "golden_proposals"),
        ("golden verify", "golden_queries"),
        ("report", "evaluation_runs"),
    ],
)
def test_what_another_tenant_has_is_told_of_like_what_nobody_has(
    installation, printed, tmp_path: Path, name: str, kind: str
) -> None:
    theirs: UUID = installation.of_bruno.ids[kind]

    def told(one: UUID) -> str:
        (words,) = OF_A_TENANT[name](Secrets(tokens=frozenset(), ids={kind: one}, names=(), words=()), tmp_path)
        return printed(name, words).replace(str(one), "…").replace(str(one)[:8], "…")

    assert told(theirs) == told(NOBODY)
    assert told(theirs)
