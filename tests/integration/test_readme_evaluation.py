"""README's example: its question, asked of its notes, gives the figures that it prints."""

import json
import re
from pathlib import Path
from typing import Any

from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.runs.run import evaluate
from rag_core.evaluation.runs.served import evaluated_search
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine

README = Path(__file__).parents[2].joinpath("README.md").read_text(encoding="utf-8")


def examples() -> tuple[dict[str, Any], dict[str, Any], str]:
    """The note, the question, and the note that is added over HTTP."""
    note, question = (json.loads(block) for block in re.findall(r"```json\n(\{.*\})\n```", README))
    added = re.search(r"/api/notes .*-d '(\{.*\})'", README)
    assert added is not None
    return note, question, json.loads(added[1])["content"]


def test_the_question_finds_its_note_first_and_the_figures_are_those_that_it_says(
    engine: Engine, tenant: TenantId, make_note: Any, index_notes: Any
) -> None:
    note, question, added = examples()
    make_note(note["text"], external_id=note["id"], title=note["title"], created_at=note["created_at"])
    make_note(added)
    index_notes()
    import_golden(engine.database, tenant, [json.dumps(question).encode()])

    run = evaluate(
        engine.database,
        tenant,
        evaluated_search(engine, tenant, config=DEFAULT_RETRIEVAL_CONFIG, timeout_ms=10_000),
        set_name="default",
    )

    said = re.search(r"a hit rate @1 of (\d\.\d{3}) and an MRR of (\d\.\d{3})", README)
    assert said is not None
    assert [f"{figure:.3f}" for figure in (run.metrics.hit_rate_at[1], run.metrics.mrr)] == list(said.groups())
