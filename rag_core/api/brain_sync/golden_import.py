"""A document of golden queries as ``POST /api/golden-dataset/import`` takes it: the good ones go in, the others are listed.

Every query is checked here as the wire writes it, so that what is wrong is told in Spanish; what is then taken goes the way
of an import file, as a line at the query's place.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from rag_core.api.brain_sync.schemas_golden import GoldenLineIn
from rag_core.api.errors import printable, validation_problem
from rag_core.api.messages.golden import told
from rag_core.evaluation.golden.importing import import_golden
from rag_core.model.golden import Vocabulary
from rag_core.model.note import TenantId
from rag_core.storage.database import Database


def import_document(
    database: Database,
    tenant: TenantId,
    entries: Sequence[Mapping[str, Any]],
    *,
    set_name: str,
    vocabulary: Vocabulary | None,
) -> tuple[int, dict[int, str]]:
    """Take the good queries into the set; how many, and why the others not, by their place from 1.

    Raises:
        InvalidInputError: the set has queries in another vocabulary than the document's.
    """
    lines: list[bytes] = []
    rejected: dict[int, str] = {}
    for number, entry in enumerate(entries, 1):
        try:
            lines.append(_written(entry))
        except ValidationError as error:
            rejected[number] = printable(validation_problem(error.errors()))
            lines.append(b"")  # keeps the place
    report = import_golden(database, tenant, lines, set_name=set_name, vocabulary=vocabulary)
    return report.imported, rejected | {number: printable(told(error, "es")) for number, error in report.rejections}


def _written(entry: Mapping[str, Any]) -> bytes:
    """The query as a line of an import file."""
    line = GoldenLineIn.model_validate({key: value for key, value in entry.items() if value is not None})
    return json.dumps(line.model_dump(exclude_unset=True, exclude_none=True)).encode()
