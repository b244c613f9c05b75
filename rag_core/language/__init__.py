"""Words of Spanish, German and English as data, a folder a language, and what reads text by them.

``languages`` loads a folder; the modules beside it are the form of its files, and rules of the language alone: stems, folding,
detection. Not here: rules for a use (``rag_core.chunking``, ``rag_core.query``, ``rag_core.guardrails``), which stand beside it.
"""

from pathlib import Path

from rag_core.model.note import Language

DEFAULT_LANGUAGE: Language = "es"


def find_languages() -> tuple[Language, ...]:
    """Codes of the languages that have a folder: the default one first, the others by code."""
    found = {file.parent.name for folder in __path__ for file in Path(folder).glob("*/__init__.py")}
    return tuple(sorted(found, key=lambda code: (code != DEFAULT_LANGUAGE, code)))


LANGUAGES: tuple[Language, ...] = find_languages()
