"""What every test may ask for: a clean environment, a migrated database of its own, a tenant, notes."""

import gc
import itertools
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import Brain, Done, invoke, spawn
from databases import (
    TestRun,
    begin_run,
    cloned_database,
    end_run,
    ensure_filled,
    ensure_template,
    memory_folder,
    run_server,
)
from filling import TENANT, Filled, store_note
from hypothesis import Phase, is_hypothesis_test, settings

from rag_core.model.note import NoteId, TenantId
from rag_core.storage.connecting import application_pool
from rag_core.storage.database import Database
from rag_core.storage.notes import ensure_tenant

MakeNote = Callable[..., NoteId]

_RUN = pytest.StashKey[TestRun]()
_UNTRACED = ("benchmarks", "browser", "faults", "leaks")
_OURS = ("DATABASE_URL", "OLLAMA_HOST", "DAGSTER_HOME")

settings.register_profile("brain", deadline=None)  # an example may wait for the database or for a neighbour
settings.register_profile(
    "mutants", deadline=None, derandomize=True, database=None, phases=(Phase.explicit, Phase.generate)
)  # that an example fails is enough, and it should be the same one every time
settings.load_profile(os.environ.get("BRAIN_TEST_PROFILE", "brain"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let one property be asked for by its number."""
    parser.addoption("--property", type=int, metavar="N", help="run only the tests of property N (1 to 40)")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their parameter: those of an archive hold the time, and workers would collect different tests."""
    return argname if isinstance(val, bytes) and len(val) > 40 else None


def pytest_collection() -> None:
    """Collect no garbage while tests are collected: it takes a quarter of the time, and nearly everything made stays."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Collect garbage again, but pass over what was made until now: modules and thousands of tests."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what does not hold the property asked for; say what is kept together and what need not be traced.

    First of all hooks: pytest-xdist reads the groups in its own.
    """
    for item in items:
        if _shares_with_its_module(item):
            item.add_marker(pytest.mark.xdist_group(item.location[0]))
        if _runs_the_same_again(item):
            item.add_marker(pytest.mark.no_cover)
    number = config.getoption("--property")
    if number is not None:
        wanted = [item for item in items if any(mark.args == (number,) for mark in item.iter_markers("property"))]
        config.hook.pytest_deselected(items=[item for item in items if item not in wanted])
        items[:] = wanted


def _shares_with_its_module(item: pytest.Item) -> bool:
    """Whether the test asks for a fixture made once a module, which every worker that runs one of them would make anew."""
    found = item._fixtureinfo.name2fixturedefs.values() if isinstance(item, pytest.Function) else ()
    return item.get_closest_marker("xdist_group") is None and any(each[-1].scope == "module" for each in found)


def _runs_the_same_again(item: pytest.Item) -> bool:
    """Whether the test runs lines that others run too: tracing them costs 40 to 110 % more time."""
    if item.get_closest_marker("slow") or item.path.parent.name in _UNTRACED:
        return True
    if not isinstance(item, pytest.Function):
        return False
    case = getattr(item, "callspec", None)
    is_another_case = case is not None and any(case.indices.values())
    return (
        (is_another_case and not item.nodeid.startswith("tests/unit/"))
        or is_hypothesis_test(item.obj)
        or "growth" in item.obj.__code__.co_names
    )


def pytest_configure(config: pytest.Config) -> None:
    """Begin the run; a worker of pytest-xdist joins its controller's, others the one of ``BRAIN_TEST_RUN_FOLDER``."""
    if (memory := memory_folder()) is not None:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))  # homes with servers: thousands of files each
    os.environ["BRAIN_EMBEDDING_PROVIDER"] = "hashing"  # for fixtures that outlive a test, too
    shared = getattr(config, "workerinput", {}).get("brain_test_folder") or os.environ.get("BRAIN_TEST_RUN_FOLDER")
    url = os.environ.get("BRAIN_TEST_DATABASE_URL") or None
    config.stash[_RUN] = TestRun(folder=Path(shared), url=url) if shared else begin_run(url)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist where the run is."""
    node.workerinput["brain_test_folder"] = str(node.config.stash[_RUN].folder)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the run, once all workers have gone, unless another process began it."""
    if not hasattr(config, "workerinput") and not os.environ.get("BRAIN_TEST_RUN_FOLDER"):
        end_run(config.stash[_RUN])


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the settings of whoever runs the tests; nobody answers at the Ollama that is left."""
    for name in list(os.environ):
        if name in _OURS or (name.startswith("BRAIN_") and not name.startswith("BRAIN_TEST_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    monkeypatch.setenv("BRAIN_LANGUAGE", "en")  # the command line otherwise follows the locale
    monkeypatch.setenv("BRAIN_EMBEDDING_PROVIDER", "hashing")  # no model to load; tests of models say which
    monkeypatch.setenv("BRAIN_SECRET", "a secret of the tests, long enough")  # else one is made in the working folder


@pytest.fixture(autouse=True)
def _signal_handlers() -> Iterator[None]:
    """Restore handlers and mask of signals: processes that a later test starts would inherit an ignored or blocked SIGTERM."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    yield
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    for number, handler in before.items():
        signal.signal(number, handler)  # in any case: a library may have changed it without Python's knowledge


@pytest.fixture(scope="session")
def server(pytestconfig: pytest.Config) -> Iterator[str]:
    """The connection string of the run's server, as a user who may create databases."""
    with run_server(pytestconfig.stash[_RUN]) as conninfo:
        yield conninfo


@pytest.fixture(scope="session")
def template(pytestconfig: pytest.Config, server: str) -> str:
    """The name of the migrated template database."""
    return ensure_template(pytestconfig.stash[_RUN], server)


@pytest.fixture(scope="session")
def filled(pytestconfig: pytest.Config, server: str, template: str) -> Filled:
    """Fill a database once a run with what several tests begin with; its name."""

    def fill_once(name: str, fill: Callable[[str], None]) -> str:
        return ensure_filled(pytestconfig.stash[_RUN], server, name=name, fill=fill)

    return fill_once


@pytest.fixture
def beginning(template: str) -> str:
    """The database that the test's is a copy of: migrated and empty, or one of ``filled`` where a module overrides this."""
    return template


@pytest.fixture
def database_url(server: str, beginning: str) -> Iterator[str]:
    """The owner's connection string of a database of the test's own."""
    with cloned_database(server, beginning) as conninfo:
        yield conninfo


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """The same database, open; it is migrated."""
    with application_pool(database_url, pool_size=4) as pool:
        yield Database(owner_conninfo=database_url, pool=pool)


@pytest.fixture
def brain(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Brain:
    """Run the command in this process on the test's database as its tenant, in a folder of the test's own."""
    for name, value in _variables(database_url, tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return invoke


@pytest.fixture
def without_tenant(brain: Brain, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the command for the whole installation instead."""
    monkeypatch.delenv("BRAIN_TENANT")


@pytest.fixture
def brain_process(database_url: str, tmp_path: Path) -> Brain:
    """Run the command in a process of its own, as a shell does."""

    def run(*words: object, **environment: str) -> Done:
        return spawn(*words, folder=tmp_path, environment=_variables(database_url, tmp_path) | environment)

    return run


def _variables(database_url: str, folder: Path) -> dict[str, str]:
    return {
        "DATABASE_URL": database_url,
        "BRAIN_HOME": str(folder / "home"),
        "BRAIN_TENANT": TENANT,
        "COLUMNS": "200",
    }


@pytest.fixture
def tenant(database: Database) -> TenantId:
    """A tenant that exists."""
    with database.transaction(TENANT) as connection:
        ensure_tenant(connection, TENANT)
    return TENANT


@pytest.fixture
def make_note(database: Database, tenant: TenantId) -> MakeNote:
    """Store a note as an import does, and return its id; external ids are n1, n2, … unless given."""
    numbers = itertools.count(1)

    def make(text: str, *, external_id: str | None = None, owner: TenantId = tenant, **changes: Any) -> NoteId:
        return store_note(database, owner, text, external_id=external_id or f"n{next(numbers)}", **changes)

    return make
