"""Hits and sources of documents know their pages, and tell no day that nobody wrote."""

import io
import json
from pathlib import Path

import openpyxl
import pytest
from folders import Vault
from retrievals import find

from rag_core.answering.sources.context import as_context, make_sources
from rag_core.answering.sources.places import placed
from rag_core.model.answer import CheckedCitation
from rag_core.model.document import place_of
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine


def workbook() -> bytes:
    book = openpyxl.Workbook()
    first = book.active
    assert first is not None
    first.title, second = "Cocina", book.create_sheet("Garaje")
    for sheet, words in ((first, ("horno", "sartén")), (second, ("neumático", "batería"))):
        for row in [("Cosa", "Euros"), *((word, 10 + place) for place, word in enumerate(words))]:
            sheet.append(row)
    saved = io.BytesIO()
    book.save(saved)
    return saved.getvalue()


@pytest.fixture
def vault(tmp_path: Path, engine: Engine, tenant: TenantId) -> Vault:
    (tmp_path / "vault").mkdir()
    made = Vault(path=tmp_path / "vault", database=engine.database, tenant=tenant)
    made.write("Compras.xlsx", workbook())
    made.write("2024-04-03.md", "Cambié la bombilla del pasillo.")
    made.write("Trastero.md", "Guardé la bicicleta en el trastero.")
    made.take()
    return made


@pytest.mark.parametrize("is_indexed", [False, True])
@pytest.mark.parametrize(("words", "page"), [("sartén", 1), ("neumático", 2)])
def test_a_hit_has_the_page_of_its_passage(
    vault: Vault, engine: Engine, index_notes: object, words: str, page: int, *, is_indexed: bool
) -> None:
    if is_indexed:
        index_notes()  # type: ignore[operator]

    hit = find(engine, vault.tenant, words).hits[0]

    assert (hit.external_id, hit.page_unit) == ("Compras.xlsx", "sheet")
    start = hit.start_char + hit.expanded_content.index(words)
    assert [block.page for block in hit.blocks] == sorted(block.page for block in hit.blocks)
    assert hit.page == page
    assert place_of(hit.blocks, (start, start + len(words))).page == page


def test_a_cited_source_has_the_page_of_its_evidence(vault: Vault, engine: Engine) -> None:
    (hit, *_) = find(engine, vault.tenant, "neumático").hits
    (source,) = make_sources([hit])
    evidence = hit.start_char + hit.expanded_content.index("neumático")
    citation = CheckedCitation(
        number=1,
        mark=(0, 1),
        claim=(0, 1),
        evidence=(evidence, evidence + 9),
        quote="neumático",
        support=1,
        is_supported=True,
        verified_by="lexical",
    )

    assert [cited.page for cited in placed([source], [citation])] == [2]


def test_a_source_tells_its_page_and_no_day_of_a_file(vault: Vault, engine: Engine) -> None:
    def told(words: str) -> dict[str, object]:
        sources = make_sources(find(engine, vault.tenant, words).hits[:1])
        (record,) = json.loads(as_context(sources).text)
        return {name: value for name, value in record.items() if name in {"date", "page"}}

    assert told("horno")["page"] == 1
    assert told("bombilla") == {"date": "2024-04-02"}  # UTC, as no zone is asked for
    assert told("bicicleta") == {}
    assert "date" not in told("horno")
