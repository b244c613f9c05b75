"""Words that open a clause, where a sentence too long for one chunk may be parted.

Only words that mean this in one of the three languages and nothing that would hurt in the other two: a text
is not asked for its language before it is parted.
"""

from rag_core.language.words import word_set
from rag_core.model.note import Language

CLAUSE_CONNECTORS: dict[Language, frozenset[str]] = {
    "es": word_set("y e o u ni pero sino porque pues aunque mientras cuando donde que quien cuyo cuya para si como"),
    "de": word_set("und oder aber denn sondern weil dass obwohl während wenn damit"),
    "en": word_set("and or but because although while when where which that so"),
}
"""Connectors by language, lower case."""
