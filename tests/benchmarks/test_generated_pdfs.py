"""The PDFs that are drawn for the benchmark: forty, the same each time, and read as well as is asked."""

from statistics import fmean

import pytest

from rag_core.parsing import FORMATS, ParsingLimits, SourceFile

from .document_scores import cells_of, found_tables, score_cells
from .generated_pdfs import BOUNDS, generated_pdfs


def test_they_are_the_same_each_time() -> None:
    first, second = list(generated_pdfs()), list(generated_pdfs())

    assert len(first) == 40
    assert first == second
    assert {pdf.pages > 1 for pdf in first if pdf.kind == "multi_page"} == {True}


@pytest.mark.parametrize("kind", BOUNDS)
def test_their_cells_are_found(kind: str) -> None:
    scores = []
    for pdf in generated_pdfs():
        if pdf.kind == kind:
            document = FORMATS.get("pdf").parse(SourceFile(name=pdf.name, data=pdf.data), ParsingLimits())
            scores.append(score_cells(found_tables(document.tables), [cells_of(pdf.rows)]).f1)

    assert fmean(scores) >= BOUNDS[kind]
