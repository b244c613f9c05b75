"""Twelve notes and a golden set of them, with which the database of a test begins that asks for ``golden``."""

import pytest
from builders import ANIMALS, golden_lines_of_animals
from filling import TENANT, Filled, fill_with_notes

from rag_core.evaluation.golden.importing import import_golden
from rag_core.settings import read_settings
from rag_core.storage.database import open_database


@pytest.fixture
def beginning(request: pytest.FixtureRequest, template: str, filled: Filled) -> str:
    return filled("animals", _fill) if "golden" in request.fixturenames else template


@pytest.fixture
def golden() -> None:
    """Twelve notes, each found first by its animal, and a golden query for each."""


def _fill(url: str) -> None:
    fill_with_notes(url, [{"text": f"Hoy vi un {animal} en el bosque.", "external_id": animal} for animal in ANIMALS])
    with open_database(read_settings(database_url=url)) as database:
        import_golden(database, TENANT, golden_lines_of_animals())
