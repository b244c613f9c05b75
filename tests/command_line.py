"""The `brain` command as tests run it: in this process, or in one of its own."""

import importlib
import json
import pkgutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

BRAIN = (sys.executable, "-c", "from rag_core.cli import main; main()")


class Done(NamedTuple):
    """Exit status and output of a command that has ended."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        """Everything printed, whether for programs or for people."""
        return self.stdout + self.stderr

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.stdout)


Brain = Callable[..., Done]


def invoke(*words: object, typed: str | None = None) -> Done:
    """Run the command in this process; a defect is raised."""
    from typer.testing import CliRunner

    from rag_core.cli.messages import language

    with patch("typer.testing._get_command", lambda _app: _command(language())):
        done = CliRunner().invoke(application(), [str(word) for word in words], input=typed)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Done(done.exit_code, done.stdout, done.stderr)


def spawn(*words: object, folder: Path, environment: Mapping[str, str]) -> Done:
    """Run the command in a process of its own, with only these settings and no model server."""
    done = subprocess.run(
        [*BRAIN, *map(str, words)],
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder),
            "OLLAMA_HOST": "http://127.0.0.1:9",
            "PYTHONUTF8": "1",
            "BRAIN_LANGUAGE": "en",
            "BRAIN_EMBEDDING_PROVIDER": "hashing",
            **environment,
        },
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def printed_json(done: Done, *, exit_code: int = 0) -> Any:
    """The JSON document of a command that ends as expected."""
    assert done.exit_code == exit_code, done.output
    return done.json


@cache
def _command(_language: str) -> Any:
    """The commands as click knows them, made once for each language, into which their help is translated in place."""
    from typer.main import get_command

    return get_command(application())


@cache
def application() -> Any:
    """The command line with all of its commands, as the program registers them."""
    import rag_core.cli

    for module in pkgutil.iter_modules(rag_core.cli.__path__):
        importlib.import_module(f"rag_core.cli.{module.name}")
    return rag_core.cli.app.app
