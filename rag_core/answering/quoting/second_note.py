"""Names that lead from one passage to a passage of another note. Pure."""

import re
from collections.abc import Collection

from rag_core.answering.quoting.asked_words import keys_of
from rag_core.answering.quoting.passages import Passage
from rag_core.graph.names import names_in


def told_names(passage: Passage, query: str) -> frozenset[str]:
    """The names in a passage of which the question does not have all words."""
    language = passage[0].source.language
    asked = keys_of(query, language)
    found = {name for sentence in passage for name in names_in(sentence.text, language=language)}
    return frozenset(name for name in found if not keys_of(name, language) <= asked)


def has_name(passage: Passage, names: Collection[str]) -> bool:
    """Test whether any of the names stands in a passage as it is written."""
    whole = "|".join(map(re.escape, sorted(names)))
    text = " ".join(sentence.text for sentence in passage)
    return bool(names) and re.search(rf"(?<!\w)(?:{whole})(?!\w)", text) is not None
