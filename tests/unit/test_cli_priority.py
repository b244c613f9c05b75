"""Priority of `brain index`: it gives way to others, the embedded server that it starts does not."""

import json
import os
import subprocess
import sys

import pytest

from rag_core.cli.notes import INDEX_NICENESS

_PROGRAM = """
import json, os, subprocess, sys, threading
from contextlib import contextmanager

import rag_assets.indexing
import rag_core.runtime.engine
from rag_assets.indexing import IndexReport
from rag_core.cli import main
from rag_core.storage.database import Database

found, done = {}, threading.Event()


def niceness():
    return os.getpriority(os.PRIO_PROCESS, 0)


def server():
    return int(subprocess.check_output([sys.executable, "-c", "import os; print(os.nice(0))"]))


def revive():
    found["server started again"] = server()
    done.set()
    return False


@contextmanager
def open_engine(settings):
    found["server"] = server()
    is_over = threading.Event()
    earlier = threading.Thread(target=lambda: (is_over.wait(), found.update({"earlier thread": niceness()})))
    earlier.start()
    try:
        yield type("Engine", (), {"database": Database(owner_conninfo="", pool=None, revive=revive)})
    finally:
        is_over.set()
        earlier.join()


def run_index(engine, **_):
    found["index"] = niceness()
    engine.database._revive_soon()
    assert done.wait(20)
    raise SystemExit(0)


rag_core.runtime.engine.open_engine = open_engine
rag_assets.indexing.run_index = run_index
sys.argv = ["brain", "index", "--tenant", "own"]
try:
    main()
finally:
    print(json.dumps(found))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priorities of their own")
def test_indexing_gives_way_to_others_and_the_server_it_starts_does_not() -> None:
    own = os.getpriority(os.PRIO_PROCESS, 0)

    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True, timeout=120)

    lowered = min(19, own + INDEX_NICENESS)
    assert json.loads(done.stdout) == {
        "server": own,
        "index": lowered,
        "earlier thread": lowered,
        "server started again": own,
    }
