"""Corrections to the sentence segmenter: proposed starts that are wrong, and starts that are missing.

Each rule answers a sentence it got wrong; ``tests/unit/test_sentences.py`` holds them. The words are data of
``rag_core.language``.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from rag_core.language.languages import LanguageWords, language_of
from rag_core.model.note import Language, Span

_LOOK_BACK = 32
_QUOTATION_CHARACTERS = 400

_POSSIBLE_END = re.compile(r"[.…][)\]}]*\s+(?=[¿¡«“„\"'(\[—]*[A-ZÀ-ÖØ-Þ])")
_LAST_TOKEN = re.compile(r"[^\s(\[{«»“”„\"'¿¡]+$")
_MEASURE = re.compile(r"\d\s?[^\W\d_]{1,4}$")
_LETTERED_NOUN = re.compile(r"(?:[a-zß-ÿ\d,º]\s|(?<!\w)[a-z]\.\s?)[A-Za-z]$")
_NAME_INITIAL = re.compile(r"(?<!\w)[A-ZÀ-ÖØ-Þ][^\W\d_]*\.?\s[A-Z]$")
_ORDINAL = re.compile(r"([^\W\d_]+)\s+\d{1,2}$")
_NEXT_WORD = re.compile(r"([^\w\s]*)([^\W\d_]*)")
_QUESTION_OPENERS = frozenset("¿¡")

_OPENERS = "«“„\u2018\"'([{¿¡"
_TRAILING = re.compile(r"[^\w\s¿¡«“„(\[{\"'\u2018—\u2013,;:]{0,32}\s*")
_WHITE_SPACE = re.compile(r"\s*")

_PAUSES = frozenset(",;:")
_NEVER_FIRST = frozenset(",;:!?%ªº)]}")
_LIST_MARKER = re.compile(r"(?:[-*+•\u2013—]\s*)?\(?(?:\d{1,3}|[A-Za-z]|[IVXivx]{1,5})[.)][^\S\n]*")
_JOINED_SENTENCES = re.compile(r"(?:(?<![/@.])\b[^\W\d_]*[a-zß-ÿ]{2}|[)\]»”])[.!?…]+[^\w\s]*$")
_NEW_SENTENCE = re.compile(r"[¿¡«“„(\[]|[A-ZÀ-ÖØ-Þ][a-zß-ÿ\s]")


def missed_starts(text: str, block: Span, starts: Sequence[int], language: Language) -> Iterator[int]:
    """Yield the sentence starts inside a block that are not among the ``starts`` found, which ascend."""
    last = block[0]
    for match in _POSSIBLE_END.finditer(text, *block):
        start = match.end()
        found = bisect_right(starts, start)
        last = max(last, starts[found - 1])
        if last < start < block[1] and _is_missed_end(text, last, match, language_of(language)):
            last = start
            yield start


def _is_missed_end(text: str, start: int, match: re.Match[str], words: LanguageWords) -> bool:
    end, ending = match.start(), match[0].rstrip()
    if len(ending) > 1:
        # "(Esto es así.) Y se fue.": a bracket around the whole sentence ends it.
        return text[start] in "([{"
    before = text[max(start, end - _LOOK_BACK) : end]
    is_end = ending == "…" or _ends_after(before, _last_token(before), match, words)
    return is_end and not _is_quoting(text[max(start, end - _QUOTATION_CHARACTERS) : end])


def _ends_after(before: str, token: str, match: re.Match[str], words: LanguageWords) -> bool:
    if token in words.sentences.ordinary_words or (token in words.sentences.measures and _MEASURE.search(before)):
        return True
    if token not in words.sentences.ending_abbreviations and not _LETTERED_NOUN.search(before):
        return False
    is_line_end = "\n" in match[0] and not _NAME_INITIAL.search(before)
    return is_line_end or _begins_plainly(match.string, match.end(), words)


def _is_quoting(beginning: str) -> bool:
    # „…“ closes with the mark that opens “…”.
    pairs = (("(", ")"), ("[", "]"), ("«", "»"), ("„", "“") if "„" in beginning else ("“", "”"))
    return beginning.count('"') % 2 == 1 or any(beginning.count(a) > beginning.count(b) for a, b in pairs)


def settled_start(text: str, start: int) -> int:
    """Move a proposed start before its opening marks, and past white space and what closes the last."""
    if text[start - 1].isspace() and not text[start : start + 1].isspace():
        return start
    before = text[max(0, start - _LOOK_BACK) : start]
    unopened = before.rstrip(_OPENERS)
    if unopened and not unopened[-1].isalnum():
        start -= len(before) - len(unopened)
    # Closers and emoji that touch the full stop belong to the sentence they end.
    pattern = _WHITE_SPACE if text[start - 1].isspace() else _TRAILING
    match = pattern.match(text, start)
    return match.end() if match else start


def is_false_start(text: str, last: int, start: int, language: Language) -> bool:
    """Tell whether ``start`` continues the sentence that began at ``last``."""
    words, after = language_of(language), text[start]
    if after in _NEVER_FIRST:
        return True
    before = text[max(last, start - _LOOK_BACK) : start]
    if not before[-1].isspace():
        # "Hola.Adiós" lacks a space; "ASP.NET", "1.ª" and "D.ª" do not.
        return not (_JOINED_SENTENCES.search(before) and _NEW_SENTENCE.match(text, start))
    if start - last < _LOOK_BACK and _LIST_MARKER.fullmatch(text, last, start):
        return True
    if after in "—\u2013":
        # "—¿Vienes? —preguntó Ana.": the dash that returns to the narrator.
        return text[start + 1 : start + 2].islower()
    before = before.rstrip()
    if before[-1:].isalnum() or before[-1:] in _PAUSES:
        # Where a window of the text was cut, not where anything ended.
        return True
    return before[-1:] == "." and _is_abbreviated(before[:-1], text, start, words)


def _is_abbreviated(before: str, text: str, start: int, words: LanguageWords) -> bool:
    token = _last_token(before)
    if token in words.sentences.titles:
        # "D. Juan", but "vitamina D. El hierro" and "3.º D.\nMadrid".
        return len(token) > 1 or not (text[start - 1] == "\n" or _begins_plainly(text, start, words))
    if token in words.sentences.abbreviations:
        return not _begins_plainly(text, start, words)
    if token.isdecimal():
        ordinal = _ORDINAL.search(before)
        return ordinal is not None and ordinal[1].lower() in words.sentences.ordinal_context
    is_letter = len(token) == 1 and token.isalpha()
    if token in words.sentences.ending_abbreviations or is_letter:
        # "10.30 h. fue", "n. 5"; "a. C." within itself.
        return text[start].islower() or text[start].isdecimal() or (is_letter and text[start + 1 : start + 2] == ".")
    return False


def _last_token(before: str) -> str:
    found = _LAST_TOKEN.search(before)
    return found[0].lower() if found else ""


def _begins_plainly(text: str, start: int, words: LanguageWords) -> bool:
    # A question mark that opens, or a capitalised function word: nothing else than a sentence starts so.
    match = _NEXT_WORD.match(text, start)
    assert match is not None  # it may be empty
    return not _QUESTION_OPENERS.isdisjoint(match[1]) or (
        match[2][:1].isupper() and match[2].lower() in words.stop_words.function_words
    )
