"""Golden queries that the program thinks of, from the tenant's own notes; only a person makes golden queries of them.

In the order of the work: ``clauses`` and ``layout`` read what a note says and lists, ``templates`` make questions of it,
``pairs`` some that only two notes answer,
``generation`` has a chat model write them instead, ``selection`` picks some that lie far apart, ``propose`` does all that
and keeps what is new, ``decide`` is the person's word. All but ``propose`` and ``decide`` do no I/O.
"""

from rag_core.model.golden import Category as Category
from rag_core.model.golden import Vocabulary as Vocabulary
from rag_core.model.note import Language as Language
from rag_core.model.note import NoteId as NoteId
from rag_core.model.note import Span as Span
