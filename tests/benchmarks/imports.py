"""Import: notes from lines, against COPY of the same rows."""

from statistics import median
from typing import Any

from rag_core.runtime.engine import Engine

from .corpus import Corpus, note_lines
from .measuring import median_rate, seconds_of
from .progress import step
from .scratch import import_notes, scratch_engine
from .sizes import Sizes
from .tables import copy_seconds, empty_notes, finished_rows


def run(corpus: Corpus, sizes: Sizes) -> dict[str, Any]:
    """Rows a second of ``import_lines``, of COPY into ``notes``, and of COPY that makes notes found by full text too.

    An imported note is found by its words at once, so the second floor is the nearer one: it writes the same posting
    lists. Rounds of the three alternate, each into empty tables; the figures are medians.
    """
    lines = note_lines(corpus, sizes.import_notes)
    with (
        step(f"import of {len(lines)} notes and its floors, {sizes.rounds} rounds"),
        scratch_engine(is_durable=sizes.is_durable) as engine,
    ):
        rounds = [_round(engine, lines) for _ in range(sizes.rounds)]
    seconds = {name: [taken[name] for taken in rounds] for name in rounds[0]}
    return {
        "rows_per_second": median_rate(len(lines), seconds["import"]),
        "floor_rows_per_second": median_rate(len(lines), seconds["floor"]),
        "floor_with_index_rows_per_second": median_rate(len(lines), seconds["floor_with_index"]),
        "rows": len(lines),
        "mb_per_second": round(sum(map(len, lines)) / 1e6 / median(seconds["import"]), 2),
    }


def _round(engine: Engine, lines: list[bytes]) -> dict[str, float]:
    with engine.database.owner() as owner:
        empty_notes(owner)
        import_seconds = seconds_of(lambda: import_notes(engine, lines))
        rows = {table: finished_rows(owner, table) for table in ("notes", "chunks")}
        empty_notes(owner)
        floor_seconds = copy_seconds(owner, {"notes": rows["notes"]})
        empty_notes(owner)
        floor_with_index_seconds = copy_seconds(owner, rows)
    return {"import": import_seconds, "floor": floor_seconds, "floor_with_index": floor_with_index_seconds}
