"""How the three languages say that one thing led to another: cues, and the words around them, as data.

``cue`` is their form, a module each for the languages. A cue is a pattern with the order of its two sides. Patterns are matched
without regard to case, as whole words, and know only what may stand between a cue's own words; what a side is, where it ends and
what weakens it is for ``rag_core.graph.rules``. Confidence is how often the reading was right when extractions were read by a person.
"""

from rag_core.language.causality.cue import CausalCue, CausalLanguage
from rag_core.language.causality.english import ENGLISH
from rag_core.language.causality.german import GERMAN
from rag_core.language.causality.spanish import SPANISH
from rag_core.model.note import Language

__all__ = ["CAUSALITY", "CausalCue", "CausalLanguage"]

CAUSALITY: dict[Language, CausalLanguage] = {"es": SPANISH, "de": GERMAN, "en": ENGLISH}
"""The three languages."""
