"""A query that asks several things, taken apart by its question marks and connectors."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from rag_core.language.folding import fold
from rag_core.language.languages import language_of
from rag_core.model.note import Language

MAX_PARTS = 4

# A question mark inside an address ("https://x.es/?q=1") ends nothing.
_MARK = re.compile(r"¿+|\?[?!]*[»”\"')\]]*(?=\s|¿|¡|$)")
_WORD = re.compile(r"\w+")
_SEPARATORS = re.compile(r"^[\s,;]+|[\s,;]+$")
_EDGES = re.compile(r"^[\s,;:.¿?¡!]+|[\s,;:.¿?¡!]+$")


def decompose(query: str, *, language: Language) -> tuple[str, ...]:
    """The distinct questions of a query in their order, at most four, none empty; the query itself if it asks one thing.

    Parts end at question marks, begin at ¿ and at connectors ("y también"). "¿Y cuándo?" gets the predicate of the
    question before it. A text around a question stays with it: no word but a connector or a repetition
    is lost, questions beyond the fourth are put together with it. Taking a part apart again gives that part.
    A blank query gives ().
    """
    parts = _distinct(part for question in _questions(query) for part in _joined_parts(question, language))
    completed = _distinct(_completed([_without_connector(part, language) for part in parts], language))
    if len(completed) < 2:
        return (query.strip(),) if query.strip() else ()
    return tuple(completed if len(completed) <= MAX_PARTS else _capped(completed, language))


def _questions(query: str) -> list[str]:
    """Stretches with one question each; a text before ¿ goes with what follows, one at the end with what went before."""
    pieces, start = [], 0
    for match in _MARK.finditer(query):
        opens = match[0].startswith("¿")
        if opens and not _has_letters(query[start : match.start()].partition("¿")[2]):
            continue
        end = match.start() if opens else match.end()
        pieces.append(query[start:end])
        start = end
    pieces.append(query[start:])
    return _with_their_rests(pieces)


def _with_their_rests(pieces: Iterable[str]) -> list[str]:
    questions: list[str] = []
    for piece in pieces:
        is_question = _has_letters(piece) and ("?" in piece or "¿" in piece)
        if is_question or not questions:
            questions.append(piece)
        else:
            questions[-1] += piece
    return [question.strip() for question in questions if _has_letters(question)]


def _joined_parts(question: str, language: Language) -> list[str]:
    """The sides of every connector, each with the question marks of the whole."""
    folded = fold(question)
    edges = [0]
    for match in _joining(language).finditer(folded.text):
        start, end = folded.span(*match.span())
        if _has_letters(question[edges[-1] : start]) and _has_letters(question[end:]):
            edges += [start, end]
    sides = [
        _SEPARATORS.sub("", question[start:end]) for start, end in zip(edges[::2], [*edges[1::2], None], strict=True)
    ]
    if len(sides) == 1:
        return [question]
    return [_marked(side, like=question) for side in sides]


def _marked(side: str, *, like: str) -> str:
    if "?" in like and "?" not in side:
        side += "?"
    return f"¿{side}" if "¿" in like and "¿" not in side else side


def _without_connector(part: str, language: Language) -> str:
    folded = fold(part)
    match = _leading(language).match(folded.text)
    if match is None or not _has_letters(rest := part[folded.origins[match.end()] :]):
        return part
    opening = "¿" if "¿" in part[: -len(rest)] and "¿" not in rest else ""
    return opening + _SEPARATORS.sub("", rest)


def _completed(parts: Sequence[str], language: Language) -> Iterator[str]:
    """Parts that are a question word alone, as "¿cuándo?", with the predicate of the part before."""
    before = ""
    for part in parts:
        words = _EDGES.sub("", part)
        is_bare = _asking(language).fullmatch(fold(words).text) is not None
        predicate = _predicate(before, language) if is_bare else ""
        before = _question(f"{words} {predicate}", language) if predicate else part
        yield before


def _predicate(question: str, language: Language) -> str:
    """Return the text after the question word: "comió Ana" of "¿Qué comió Ana?"; '' when it does not begin with one."""
    folded = fold(question)
    match = _asking(language).match(folded.text)
    rest = _EDGES.sub("", question[folded.origins[match.end()] :]) if match else ""
    return rest if _names_something(rest, language) and "?" not in rest else ""


def _names_something(text: str, language: Language) -> bool:
    empty = language_of(language).questions.empty
    return any(word not in empty for word in _WORD.findall(text.lower()))


def _capped(parts: Sequence[str], language: Language) -> list[str]:
    rest = ", ".join(_EDGES.sub("", " ".join(re.sub("[¿?]", " ", part).split())) for part in parts[MAX_PARTS - 1 :])
    return [*parts[: MAX_PARTS - 1], _question(rest, language)]


def _question(words: str, language: Language) -> str:
    return f"{language_of(language).questions.opening}{words}?"


def _distinct(parts: Iterable[str]) -> list[str]:
    """Parts by their words: case, accents and punctuation make no other question."""
    first: dict[tuple[str, ...], str] = {}
    for part in parts:
        first.setdefault(tuple(_WORD.findall(fold(part).text)), part)
    return list(first.values())


def _has_letters(text: str) -> bool:
    return any(character.isalnum() for character in text)


@cache
def _joining(language: Language) -> re.Pattern[str]:
    return _spaced(rf"(?<!\w)(?:{language_of(language).questions.joining})(?!\w)")


@cache
def _leading(language: Language) -> re.Pattern[str]:
    return _spaced(rf"[^\w]*(?P<dropped>(?:(?:{language_of(language).questions.leading})(?!\w)[\s,;¿]*)+)")


@cache
def _asking(language: Language) -> re.Pattern[str]:
    return _spaced(rf"[^\w]*(?:{language_of(language).questions.asking})(?!\w)")


def _spaced(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(" ", r"\s+"))
