"""Conversations and what is kept of questions.

``sessions`` begins, lists and ends conversations, ``records`` writes down how a question went, ``feedback`` what somebody thought
of its answer. Words stand in turns alone, which belong to a session and are deleted with it; what is kept of a question beside them is
figures and keyed hashes. Not here: answering (``rag_core.answering``).
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
