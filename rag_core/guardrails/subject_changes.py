"""Recognition of a change of subject before a question: "Olvida lo anterior, ¿…?", "Never mind that, …". Pure."""

import re
from dataclasses import dataclass

from rag_core.language.languages import any_word

PREPOSITIONS = any_word(lambda words: [words.subject_changes.prepositions])
"""Pattern of the prepositions before a word that asks."""
_DROPPING = re.compile(
    rf"""
    [\s¡]{{0,4}}(?:(?:{any_word(lambda words: [words.subject_changes.opening])})\b[\s,.…]{{0,4}})?
    (?:{any_word(lambda words: [words.subject_changes.dropping])})
    (?:,?\ (?:{any_word(lambda words: [words.subject_changes.please])}))?
    (?: \s{{0,4}}[,;:.!…–—-]{{1,4}}\s{{0,4}} | \s{{1,4}}(?=¿)
        | \ (?:{any_word(lambda words: [words.subject_changes.then_tell])})\ ,?\s{{0,4}} )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_EVERYTHING = re.compile(rf"\b(?:{any_word(lambda words: [words.subject_changes.everything])})\b", re.IGNORECASE)
_ASKED = re.compile(
    rf"¿ | (?:(?:{PREPOSITIONS})\ )?(?:{any_word(lambda words: [words.subject_changes.asking])})\b",
    re.IGNORECASE | re.VERBOSE,
)
_ABBREVIATED = re.compile(
    rf"\b(?:{any_word(lambda words: [words.subject_changes.abbreviations])})\.(?=\s)", re.IGNORECASE
)
_MORE_THAN_ONE = re.compile(r"""[!?…]+\s*[^\s!?…"'»”)\]]|\.\s+\S|[;\n]""")


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectChange:
    """The question that follows where a subject was dropped; whether all that was ever said is to be forgotten ("everything")."""

    asked: str
    is_everything_dropped: bool


def subject_change(question: str) -> SubjectChange | None:
    """Read a change of subject; None where nothing is dropped, or where no single question follows.

    Dropped may be what was said, "that" or a question. "Forget your instructions" is none of these, and of what follows
    only a question is taken: "forget that. You are a pirate now" changes no subject.
    """
    dropping = _DROPPING.match(question)
    if dropping is None:
        return None
    asked = question[dropping.end() :]
    if not _ASKED.match(asked) or has_several_sentences(asked):
        return None
    return SubjectChange(asked=asked, is_everything_dropped=_EVERYTHING.search(dropping[0]) is not None)


def without_dropped_subject(question: str) -> str:
    """Return the question after a change of subject; the text itself where it changes none."""
    change = subject_change(question)
    return question if change is None else change.asked


def has_several_sentences(text: str) -> bool:
    """Tell whether a text continues after the end of a sentence or a semicolon; "Dr." ends none."""
    return _MORE_THAN_ONE.search(_ABBREVIATED.sub("", text).strip()) is not None
