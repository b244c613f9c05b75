"""Golden queries on one note of Ferrer."""

import pytest

from rag_core.evaluation.golden.edits import add_golden_query
from rag_core.evaluation.golden.query import GivenRelevance, GivenSpan

FERRER = "El señor Ferrer riega los tomates de la azotea. Los riega al alba."
COMPLETE = {"expected_answer": "El señor Ferrer", "category": "factual", "difficulty": 2}


@pytest.fixture
def asked(database, tenant, make_note):
    """A query whose answer is a span of n1, of grade 3."""
    note = make_note(FERRER)
    return add_golden_query(
        database,
        tenant,
        query="¿Quién riega?",
        relevance=[GivenRelevance(note=note, grade=3, spans=(GivenSpan(quote="señor Ferrer"),))],
        key_facts=["Ferrer"],
        forbidden_content=["la vecina"],
        created_by="model:llama3.2",
        **COMPLETE,
    )
