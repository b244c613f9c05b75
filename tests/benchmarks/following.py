"""Followed folders: the time from a change on disk until search and states tell it, beside the bare import of one."""

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from rag_core.configuration.schema import configure
from rag_core.folders.following import sync_folder
from rag_core.indexing.few_notes import index_few
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import Settings
from rag_core.storage.documents import list_file_states, list_watched_folders

from .corpus import Corpus, note_lines
from .indexing import index_all
from .measuring import seconds_of
from .progress import step
from .scratch import STOP_TIMEOUT_SECONDS, TENANT, brain_command, brain_environment, scratch_home
from .sizes import Sizes

SOURCE = "vault"
CHARACTERS = 400
"""Of each text: the folder's size is measured, and short notes are soon indexed."""
LOOK_SECONDS = 0.02
PATIENCE_SECONDS = 60
WORDS = configure({"topK": {"final": 1}}, strategy="fulltext")


def run(corpus: Corpus, sizes: Sizes) -> list[dict[str, Any]]:
    """For each size of folder the seconds until an edit, a renaming and a removal followed, most and median of the rounds.

    ``found`` is until search by words tells it, ``indexed`` until the file's state does. The floor imports and indexes an
    edit in this process, with nobody to be told of it first.
    """
    return [_figures(corpus, files, sizes) for files in sizes.followed_files]


def _figures(corpus: Corpus, files: int, sizes: Sizes) -> dict[str, Any]:
    with (
        step(f"changes in a followed folder of {files} files, {sizes.follow_rounds} rounds"),
        scratch_home(is_durable=sizes.is_durable) as settings,
        tempfile.TemporaryDirectory(prefix="brain-bench-") as name,
    ):
        folder = Path(name)
        for line in note_lines(corpus, files):
            note = json.loads(line)
            (folder / f"{note['id']}.md").write_text(note["text"][:CHARACTERS], encoding="utf-8")
        subprocess.run(
            brain_command("folder", "add", name, "--source", SOURCE, "--json"),
            env=brain_environment(settings),
            check=True,
            stdout=subprocess.DEVNULL,
        )
        with open_engine(settings) as engine:
            index_all(engine)
            floor = median(_floor_seconds(engine, settings, folder / f"n{n}.md") for n in range(sizes.follow_rounds))
            with _followed(settings, folder.with_suffix(".log")):
                _seconds(engine, folder, "edit", 0)  # until it has started
                taken = {
                    change: [_seconds(engine, folder, change, n) for n in range(1, sizes.follow_rounds + 1)]
                    for change in ("edit", "rename", "remove")
                }
    edits = median(indexed for _, indexed in taken["edit"])
    return {"files": files, "floor_seconds": round(floor, 3), "edit_over_floor": round(edits / floor, 1)} | {
        f"{change}_{stage}_{name}_seconds": round(figure([one[place] for one in seconds]), 3)
        for change, seconds in taken.items()
        for place, stage in enumerate(("found", "indexed"))
        for name, figure in (("p50", median), ("max", max))
    }


def _floor_seconds(engine: Engine, settings: Settings, file: Path) -> float:
    (folder,) = list_watched_folders(engine.database)
    _append(file, "suelo")

    def follow() -> None:
        sync_folder(settings, engine.database, folder)
        index_few(engine.database, TENANT, engine.pipeline)

    return seconds_of(follow)


@contextmanager
def _followed(settings: Settings, log: Path) -> Iterator[None]:
    """Changes are followed, as under ``brain up``, while the block runs."""
    with (
        log.open("wb") as said,
        subprocess.Popen(
            brain_command("folder", "watch"), env=brain_environment(settings), stdout=said, stderr=said
        ) as process,
    ):
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(STOP_TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
            log.unlink()


def _seconds(engine: Engine, folder: Path, change: str, number: int) -> tuple[float, float]:
    """Seconds until a change of one file is found by words, and until the state of its file tells it."""
    file, word = folder / f"n{number}.md", f"palabra{number}"
    match change:
        case "edit":
            _append(file, word)
        case "rename":
            file = file.rename(file.with_stem(f"{file.stem}-otra"))
        case _:
            file = file.with_stem(f"{file.stem}-otra")
            file.unlink()
    began, expected = time.perf_counter(), None if change == "remove" else file.name
    found = _wait(lambda: _found(engine, word) == expected, began)
    indexed = _wait(lambda: _is_settled(engine, file.name, is_there=expected is not None), began)
    return found, indexed


def _append(file: Path, word: str) -> None:
    with file.open("a", encoding="utf-8") as opened:
        opened.write(f"\n\nAquí está {word}.")


def _wait(is_so: Callable[[], bool], began: float) -> float:
    while not is_so():
        if time.perf_counter() - began > PATIENCE_SECONDS:
            raise RuntimeError(f"a change did not follow within {PATIENCE_SECONDS} s")
        time.sleep(LOOK_SECONDS)
    return time.perf_counter() - began


def _found(engine: Engine, word: str) -> str | None:
    found = retrieve(engine, TENANT, word, config=WORDS, timeout_ms=10_000, use_cache=False)
    return next((hit.external_id for hit in found.hits), None)


def _is_settled(engine: Engine, name: str, *, is_there: bool) -> bool:
    with engine.database.transaction(TENANT) as connection:
        states = {file.path: file.state for file in list_file_states(connection, TENANT, SOURCE)}
    return states.get(name) == ("indexed" if is_there else None)
