"""Sources as tests of citations need them."""

import uuid
from datetime import UTC, datetime

from builders import make_source

from rag_core.model.answer import Source
from rag_core.model.note import ChunkId


def source(number: int, original: str, *, title=None, language="es", page=None, chunk_index=0, start_char=0) -> Source:
    return make_source(
        original.strip(),
        number,
        chunk_id=ChunkId(uuid.UUID(int=100 + number)),
        title=title,
        created_at=datetime(2025, 3, 1, tzinfo=UTC),
        language=language,
        original=original,
        start_char=start_char,
        chunk_index=chunk_index,
        page=page,
    )


VET = "Noche en el veterinario con Trufa. La inyección de Trufa costó 142 euros. Nora lloraba en la sala."
FIELD = "En Sueca llovió el 3 de mayo de 2025. La caldera no arrancó. El técnico vino siete días después."
