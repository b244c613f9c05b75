"""Quality and speed of the parsers of documents.

``BRAIN_TEST_DATA=… python -m tests.benchmarks.documents`` parses each file of ``documents/manifest.jsonl`` and compares the result
with what is expected: words of the text where that is Markdown, cells where it is tables. References that another parser
wrote are no truth: a difference may be theirs. Where markitdown is installed its text is compared as well. Speed is the
best of three, after the first file of a format loaded its libraries. The last line of stdout is one JSON object.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar

from rich.console import Console
from rich.table import Table

from rag_core.errors import DocumentFailedError, DocumentRefusedError
from rag_core.model.document import ParsedDocument
from rag_core.parsing import ParsingLimits, SourceFile
from rag_core.parsing.recognising import suffixes
from rag_core.parsing.working import DocumentParser

from .document_scores import expected_tables, found_tables, score_cells, similarity
from .progress import step

REPETITIONS = 3
METRICS = (
    "seconds",
    "pages_per_second",
    "text_similarity",
    "cell_precision",
    "cell_recall",
    "cell_f1",
    "cell_f1_shifted",
    "markitdown_similarity",
    "markitdown_seconds",
)
Result = TypeVar("Result")
Figures = dict[str, Any]


def main() -> None:
    """Measure and print."""
    folder = Path(os.environ["BRAIN_TEST_DATA"]) / "documents"
    lines = (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    convert = _markitdown()
    with DocumentParser(ParsingLimits(), workers=1) as parser:
        files = [_measured(json.loads(line), folder, parser, convert) for line in lines]
    means = {name: _means(name, files) for name in sorted({figures["format"] for figures in files})}
    _print(files, means)
    print(json.dumps({"files": files, "means": means}, ensure_ascii=False), flush=True)


def _measured(
    line: Mapping[str, Any], folder: Path, parser: DocumentParser, convert: Callable[[Path], str] | None
) -> Figures:
    path = folder / line["file"]
    figures: Figures = {"file": path.name, "format": line["format"]}
    if path.suffix not in suffixes():
        return figures | {"problem": "not there"}
    file = SourceFile(name=path.name, data=path.read_bytes())
    with step(path.name):
        try:
            parser.parse(file)
            document, seconds = _timed(partial(parser.parse, file))
        except (DocumentFailedError, DocumentRefusedError) as error:
            return figures | {"problem": str(error)}
    figures |= {"parser": document.parser, "pages": document.pages, "seconds": seconds}
    if document.pages:
        figures["pages_per_second"] = document.pages / seconds
    if line["expected"]:
        figures |= _compared(document, folder / line["expected"])
        if convert:
            figures |= dict(_beside(path, folder / line["expected"], convert))
    return figures


def _timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """The result and the least seconds that it took."""
    times = []
    for _ in range(REPETITIONS):
        began = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - began)
    return result, min(times)


def _compared(document: ParsedDocument, expected: Path) -> Figures:
    if expected.suffix == ".md":
        return {"text_similarity": similarity(document.text, expected.read_text(encoding="utf-8"))}
    score = score_cells(found_tables(document.tables), expected_tables(expected))
    return {
        "cell_precision": score.precision,
        "cell_recall": score.recall,
        "cell_f1": score.f1,
        "cell_f1_shifted": score.f1_shifted,
    }


def _markitdown() -> Callable[[Path], str] | None:
    """The converter of markitdown where it is installed; it is no dependency."""
    if find_spec("markitdown") is None:
        return None
    from markitdown import MarkItDown

    converter = MarkItDown()
    return lambda path: converter.convert(path).text_content


def _beside(path: Path, expected: Path, convert: Callable[[Path], str]) -> Iterator[tuple[str, float]]:
    try:
        text, seconds = _timed(partial(convert, path))
    except Exception:  # noqa: BLE001  another's parser: whatever it raises, it has no text
        return
    yield "markitdown_seconds", seconds
    if expected.suffix == ".md":
        yield "markitdown_similarity", similarity(text, expected.read_text(encoding="utf-8"))


def _means(name: str, files: list[Figures]) -> Figures:
    ours = [figures for figures in files if figures["format"] == name]
    values = {metric: [figures[metric] for figures in ours if metric in figures] for metric in METRICS}
    return {"files": len(ours)} | {metric: fmean(found) for metric, found in values.items() if found}


def _print(files: list[Figures], means: Mapping[str, Figures]) -> None:
    shown = tuple(metric for metric in METRICS if any(metric in figures for figures in files))
    table = Table(*("file", "format", "parser", "pages"), *(metric.replace("_", " ") for metric in shown))
    for figures in files:
        leading = (figures.get(name) for name in ("file", "format", "parser", "pages"))
        table.add_row(*("–" if value is None else str(value) for value in leading), *_columns(figures, shown))
    table.add_section()
    for name, figures in means.items():
        table.add_row("mean", name, "", "", *_columns(figures, shown))
    Console(width=200).print(table)
    for figures in files:
        if "problem" in figures:
            print(f"{figures['file']}: {figures['problem']}")


def _columns(figures: Figures, metrics: tuple[str, ...]) -> list[str]:
    return [f"{figures[metric]:.3f}" if metric in figures else "–" for metric in metrics]


if __name__ == "__main__":
    main()
