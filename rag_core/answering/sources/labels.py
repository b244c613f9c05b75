"""Labels of sources cited by title, readable by people and resolvable by programs. Pure."""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from rag_core.answering.characters import INVISIBLE, decoded, without_references
from rag_core.guardrails.links import find_links
from rag_core.language.languages import any_word, language_of
from rag_core.model.answer import Source

MAX_TITLE_CHARACTERS = 120
_DECODINGS = 3
"""Greatest number of decodings of a title; each costs a reading of the whole, and a text can hold one for every four characters."""
_BRACKETS = str.maketrans("[{［【〔⟦❲]}］】〕⟧❳<>＜＞﹤﹥", "(((((((" + ")))))))" + "‹›‹›‹›")  # noqa: RUF001
_PLACE = re.compile(
    rf",\s*(?:(?:{any_word(lambda words: words.citing.pages)})\s*\d+|(?:{any_word(lambda words: words.citing.sections)})\s*\w+)\s*$",
    re.IGNORECASE,
)
"""End of a title in a mark that names a place in the document."""
_UNITS = {"page": "Seite", "slide": "Folie", "sheet": "Blatt", "section": "Abschnitt"}
_LINK = language_of("de").messages.placeholders["link"]


def source_labels(sources: Sequence[Source]) -> dict[int, str]:
    """The label of each source by its number, in German: "Titel", or "Titel, Seite 5" where the page is known; no two alike.

    Sources of the same title and page are told apart by their place in the note ("Titel, Abschnitt 3"), else by a count. A title is
    ``plain``, and what is over 120 characters is cut; a note without title is called by its day.
    """
    given: dict[int, str] = {}
    taken: set[str] = set()
    is_repeated = _repeated([_label(source) for source in sources if source.page is None])
    for source in sources:
        label = _label(source)
        if source.page is None and is_repeated[label_key(label)]:
            label = f"{label}, Abschnitt {source.chunk_index + 1}"
        given[source.number] = _distinct(label, taken)
    return given


def numbers_by_label(sources: Sequence[Source]) -> dict[str, int]:
    """The number of each source by the key of its label, of its title with its page, and of its title; the lowest of several."""
    numbers = {label_key(label): number for number, label in source_labels(sources).items()}
    for source in sources:
        for name in (_label(source), _title(source)):
            numbers.setdefault(label_key(name), source.number)
    return numbers


def resolve_label(written: str, numbers: Mapping[str, int]) -> int | None:
    """The source that a label names as somebody wrote it; a page or section that is not known is overlooked."""
    key = label_key(plain(written))
    return numbers.get(key, numbers.get(label_key(_PLACE.sub("", plain(written)))))


def label_key(label: str) -> str:
    """The key of a label, equal for two labels that read the same."""
    return unicodedata.normalize("NFKC", label).casefold()


def plain(text: str) -> str:
    """A text on one line, in visible characters, with round brackets alone, without tags and addresses."""
    line = " ".join(_visible(text).translate(_BRACKETS).split())
    for start, end in reversed(find_links(line)):
        line = f"{line[:start]}{_LINK}{line[end:]}"
    return line


def _visible(text: str) -> str:
    """The text in visible characters; nothing in it is a character reference, not even one that others make up."""
    for _ in range(_DECODINGS):
        text = decoded(_only_seen(text))
    return without_references(_only_seen(text))


def _only_seen(text: str) -> str:
    return "".join(" " if character.isspace() else character for character in text if _is_seen(character))


def _is_seen(character: str) -> bool:
    return character.isspace() or not (
        INVISIBLE.match(character) or unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn"}
    )


def _title(source: Source) -> str:
    title = plain(source.title or "")
    if len(title) > MAX_TITLE_CHARACTERS:
        title = title[: MAX_TITLE_CHARACTERS - 1].rstrip() + "…"
    return title or (f"Dokument vom {source.created_at:%d.%m.%Y}" if source.is_dated else "Dokument ohne Titel")


def _label(source: Source) -> str:
    return _title(source) if source.page is None else f"{_title(source)}, {_UNITS[source.page_unit]} {source.page}"


def _repeated(labels: Sequence[str]) -> dict[str, bool]:
    keys = [label_key(label) for label in labels]
    return {key: keys.count(key) > 1 for key in keys}


def _distinct(label: str, taken: set[str]) -> str:
    found, count = label, 1
    while label_key(found) in taken:
        count += 1
        found = f"{label} ({count})"
    taken.add(label_key(found))
    return found
