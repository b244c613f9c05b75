"""Quality and speed of the parsers of documents, and whether what stands in them is found.

``BRAIN_TEST_DATA=… make bench-documents OPTIONS=…`` parses each file of ``documents/manifest.jsonl`` and compares the result with
what is expected: words of the text where that is Markdown, cells where it is tables. References that another parser (docling) wrote
are no truth: a difference may be theirs. So texts are compared twice, as they are and without what differs by convention, which
the output tells. Then come PDFs that are drawn, whose cells are known, pictures of Spanish pages, whose text is, and questions that
are asked of all the documents.
``--markitdown PYTHON`` names the Python of an environment with markitdown, whose text and tables are compared as well. Speed is the
best of three, after the first file of a format loaded its libraries. The last line of stdout is one JSON object; the exit status is
1 where a bound is missed.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar

from rag_core.errors import DocumentFailedError, DocumentRefusedError
from rag_core.model.document import DocumentTable, ParsedDocument
from rag_core.parsing import ParsingLimits, SourceFile
from rag_core.parsing.recognising import suffixes
from rag_core.parsing.working import DocumentParser

from .beside_markitdown import OtherText, convert_all
from .document_figures import Figures, print_files, print_kinds, print_recall
from .document_recall import measure_recall, missed_recall
from .document_scores import (
    Cells,
    cells_of,
    expected_tables,
    found_tables,
    like_with_like,
    score_cells,
    similarity,
    unspaced,
    without_notes,
)
from .generated_pdfs import BOUNDS, GeneratedPdf, generated_pdfs
from .progress import step
from .recognised_pages import measure_recognition, missed_recognition

REPETITIONS = 3
METRICS = (
    "seconds",
    "pages_per_second",
    "text_similarity",
    "like_with_like",
    "cell_precision",
    "cell_recall",
    "cell_f1",
    "cell_f1_unspaced",
    "cell_f1_shifted",
    "markitdown_similarity",
    "markitdown_like_with_like",
    "markitdown_cell_f1",
    "markitdown_pages_per_second",
)
LEAST_LIKENESS = 0.95
"""Bound of each format's mean likeness to the references, like compared with like."""
ADAPTED = (
    "text similarity compares all words in their order; like with like reads tables down their columns, counts a cell that its left "
    "or upper neighbour repeats once (merged cells), and leaves out numbers in place of headers and the speaker notes of slides; "
    "cell f1 unspaced disregards spaces, which annotations leave out"
)
Result = TypeVar("Result")


def main() -> None:
    """Measure and print."""
    python, wants_recall = _options()
    folder = Path(os.environ["BRAIN_TEST_DATA"]) / "documents"
    lines = [json.loads(line) for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]
    with DocumentParser(ParsingLimits(), workers=1) as parser, tempfile.TemporaryDirectory() as drawn:
        pdfs = {Path(drawn) / pdf.name: pdf for pdf in generated_pdfs()}
        for path, pdf in pdfs.items():
            path.write_bytes(pdf.data)
        other = _converted(python, [*(folder / line["file"] for line in lines), *pdfs])
        files = [_measured(line, folder, parser, other) for line in lines]
        generated = [_measured_pdf(path, pdf, parser, other) for path, pdf in pdfs.items()]
        recognised = measure_recognition(parser)
    means = {name: _means(files, "format", name) for name in sorted({figures["format"] for figures in files})}
    kinds = {name: _means(generated, "kind", name) for name in BOUNDS}
    print_files(files, means, METRICS)
    print(ADAPTED)
    print(_outcomes(files))
    print_kinds(kinds, METRICS)
    print(f"text recognition: {recognised}")
    recall = measure_recall(folder / "files") if wants_recall else {}
    print_recall(recall)
    missed = [*_missed_likeness(means), *_missed_bounds(kinds), *missed_recognition(recognised), *missed_recall(recall)]
    missed += _failures(files)
    for line in missed:
        print(line)
    figures = {"files": files, "means": means, "generated": kinds, "recognised": recognised, "recall": recall}
    print(json.dumps(figures, ensure_ascii=False), flush=True)
    sys.exit(1 if missed else 0)


def _options() -> tuple[Path | None, bool]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markitdown", type=Path, metavar="PYTHON", help="a Python that has markitdown")
    parser.add_argument("--no-questions", action="store_true", help="measure the parsers alone")
    given = parser.parse_args()
    return given.markitdown, not given.no_questions


def _converted(python: Path | None, files: Sequence[Path]) -> Mapping[Path, OtherText]:
    if python is None:
        return {}
    with step("markitdown"):
        return convert_all(python, files, repetitions=REPETITIONS)


def _outcomes(files: Sequence[Figures]) -> str:
    counts = Counter(figures.get("outcome", "read") for figures in files)
    return f"{counts['read']} of {len(files)} files read, {counts['refused']} refused, {counts['failed']} failed"


def _failures(files: Sequence[Figures]) -> Iterator[str]:
    return (f"{figures['file']}: no parser may fail" for figures in files if figures.get("outcome") == "failed")


def _missed_likeness(means: Mapping[str, Figures]) -> Iterator[str]:
    for name, figures in means.items():
        if figures.get("like_with_like", 1) < LEAST_LIKENESS:
            yield f"{name}: likeness to the references is {figures['like_with_like']:.3f}; {LEAST_LIKENESS} is the bound"


def _missed_bounds(kinds: Mapping[str, Figures]) -> Iterator[str]:
    for kind, least in BOUNDS.items():
        if kinds[kind]["cell_f1"] < least:
            yield f"tables that are {kind}: F1 of cells is {kinds[kind]['cell_f1']:.3f}; {least} is the bound"


def _measured(
    line: Mapping[str, Any], folder: Path, parser: DocumentParser, other: Mapping[Path, OtherText]
) -> Figures:
    path = folder / line["file"]
    figures: Figures = {"file": path.name, "format": line["format"]}
    if path.suffix not in suffixes():
        return figures | {"problem": "no parser for this format", "outcome": "refused"}
    try:
        document, seconds = _parsed(path, parser)
    except (DocumentFailedError, DocumentRefusedError) as error:
        outcome = "refused" if isinstance(error, DocumentRefusedError) else "failed"
        return figures | {"problem": str(error), "outcome": outcome}
    figures |= {"parser": document.parser, "pages": document.pages, "seconds": seconds}
    if document.pages:
        figures["pages_per_second"] = document.pages / seconds
    if line["expected"]:
        expected = folder / line["expected"]
        shared = without_notes(document, path.read_bytes()) if document.page_unit == "slide" else document.text
        figures |= _compared(document.text, shared, document.tables, expected)
        if path in other:
            theirs = _compared(other[path].text, other[path].text, other[path].tables, expected)
            figures |= _of_other(theirs, other[path], document.pages)
    return figures


def _measured_pdf(path: Path, pdf: GeneratedPdf, parser: DocumentParser, other: Mapping[Path, OtherText]) -> Figures:
    document, seconds = _parsed(path, parser)
    expected = [cells_of(pdf.rows)]
    figures = {"file": pdf.name, "kind": pdf.kind, "seconds": seconds, "pages_per_second": pdf.pages / seconds}
    figures |= _scores(document.tables, expected)
    return figures | (_of_other(_scores(other[path].tables, expected), other[path], pdf.pages) if path in other else {})


def _parsed(path: Path, parser: DocumentParser) -> tuple[ParsedDocument, float]:
    """The document and the least seconds, after it was parsed once."""
    file = SourceFile(name=path.name, data=path.read_bytes())
    with step(path.name):
        parser.parse(file)
        return _timed(partial(parser.parse, file))


def _of_other(figures: Figures, other: OtherText, pages: int | None) -> Figures:
    names = {
        "text_similarity": "markitdown_similarity",
        "like_with_like": "markitdown_like_with_like",
        "cell_f1": "markitdown_cell_f1",
    }
    pace = {"markitdown_pages_per_second": pages / other.seconds} if pages else {}
    return {names[name]: value for name, value in figures.items() if name in names} | pace


def _timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """The result and the least seconds that it took."""
    times = []
    for _ in range(REPETITIONS):
        began = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - began)
    return result, min(times)


def _compared(text: str, shared: str, tables: Sequence[DocumentTable], expected: Path) -> Figures:
    """Figures of a text; ``shared`` is what of it the references have by their convention."""
    if expected.suffix == ".md":
        wanted = expected.read_text(encoding="utf-8")
        return {
            "text_similarity": similarity(text, wanted),
            "like_with_like": similarity(like_with_like(shared), like_with_like(wanted)),
        }
    return _scores(tables, expected_tables(expected))


def _scores(tables: Sequence[DocumentTable], expected: Sequence[Cells]) -> Figures:
    found = found_tables(tables)
    score = score_cells(found, expected)
    return {
        "cell_precision": score.precision,
        "cell_recall": score.recall,
        "cell_f1": score.f1,
        "cell_f1_unspaced": score_cells(unspaced(found), unspaced(expected)).f1,
        "cell_f1_shifted": score.f1_shifted,
    }


def _means(files: list[Figures], group: str, name: str) -> Figures:
    ours = [figures for figures in files if figures[group] == name]
    values = {metric: [figures[metric] for figures in ours if metric in figures] for metric in METRICS}
    return {"files": len(ours)} | {metric: fmean(found) for metric, found in values.items() if found}


if __name__ == "__main__":
    main()
