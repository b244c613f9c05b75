"""Import: notes from lines, against COPY of the same rows."""

from statistics import median
from typing import Any

from rag_core.engine import Engine
from rag_core.storage.database import Connection

from .corpus import Corpus, note_lines
from .measuring import Stopwatch, median_rate, seconds_of
from .progress import step
from .scratch import import_notes, scratch_engine
from .sizes import Sizes
from .tables import copy_rows, empty_notes, finished_rows


def run(corpus: Corpus, sizes: Sizes) -> dict[str, Any]:
    """Rows a second of ``import_lines``, of COPY into ``notes``, and of COPY that makes notes found by full text too.

    An imported note is found by its words at once, so the second floor is the nearer one: it writes the same posting
    lists. Rounds of the three alternate, each into empty tables; the figures are medians.
    """
    lines = note_lines(corpus, sizes.import_notes)
    rounds: list[Stopwatch] = []
    with step(f"import of {len(lines)} notes and its floors, {sizes.rounds} rounds"), scratch_engine(is_durable=sizes.is_durable) as engine:
        for _ in range(sizes.rounds):
            rounds.append(_round(engine, lines))
    seconds = {name: [watch.seconds[name] for watch in rounds] for name in rounds[0].seconds}
    return {
        "rows_per_second": median_rate(len(lines), seconds["import"]),
        "floor_rows_per_second": median_rate(len(lines), seconds["floor"]),
        "floor_with_index_rows_per_second": median_rate(len(lines), seconds["floor_with_index"]),
        "rows": len(lines),
        "mb_per_second": round(sum(map(len, lines)) / 1e6 / median(seconds["import"]), 2),
    }


def _round(engine: Engine, lines: list[bytes]) -> Stopwatch:
    watch = Stopwatch()
    with engine.database.owner() as owner:
        empty_notes(owner)
        with watch.lap("import"):
            import_notes(engine, lines)
        rows = {table: finished_rows(owner, table) for table in ("notes", "chunks")}
        watch.seconds["floor"] = _copy_seconds(owner, {"notes": rows["notes"]})
        watch.seconds["floor_with_index"] = _copy_seconds(owner, rows)
    return watch


def _copy_seconds(owner: Connection, rows: dict[str, bytes]) -> float:
    empty_notes(owner)
    return seconds_of(lambda: [copy_rows(owner, table, finished) for table, finished in rows.items()])
