"""What is kept of questions: conversations with their words, how each question went in figures, and what people thought of it.

``sessions`` begins, lists and ends conversations, ``follow_up`` makes of "¿y en abril?" a question that can be searched
(``going_on`` tells that it goes on from another, also by its ``missing_subjects``, ``joining`` puts the two
together by their ``noun_phrases`` and ``places``), ``records`` writes down how a question went, ``feedback`` what somebody thought of
its answer. Words stand in turns alone, which belong to a session and go with it; what is kept of a question beside them is figures
and keyed hashes.
Not here: answering (``rag_core.answering``). Imports point to ``answering``'s types, ``chat``, ``engine``, ``language``, ``model`` and
``storage``.
"""

from rag_core.model.answer import CheckedCitation as CheckedCitation
from rag_core.model.answer import CheckedText as CheckedText
from rag_core.model.answer import Confidence as Confidence
from rag_core.model.answer import Contract as Contract
from rag_core.model.answer import FallbackMode as FallbackMode
from rag_core.model.answer import RefusalReason as RefusalReason
from rag_core.model.note import ChunkId as ChunkId
from rag_core.model.note import Language as Language
from rag_core.model.note import NoteId as NoteId
