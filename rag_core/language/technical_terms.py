"""Technical terms by their shape: words written unlike any ordinary word of es, de or en."""

import re

_WORD = re.compile(r"[^\s¿?¡!«»\"“”„(),;:…\[\]{}]+")
_ROMAN = re.compile(r"(?=.)M{0,4}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_SHAPES = (
    re.compile(r"(?=.*\d)(?=.*[^\W\d_]).{2,}"),  # K8s, GPT-4, CO2, B12
    re.compile(r"\w+(?:[_@#]\w+)+|\w+\+\+|\w#"),  # max_chunk_size, C++
    re.compile(r"\w{2,}(?:[/\\]\w{2,})*[/\\.](?:\w+\.)*[a-z]\w{1,5}"),  # src/main.py, notes.jsonl
)
_CAPITALS = (
    re.compile(r"[A-ZÁÉÍÓÚÜÑÄÖ]{2,}s?"),  # API, RGPD, PDFs
    re.compile(r"[a-zß-ÿ]+[A-Z]\w*|[A-Z][a-zß-ÿ]+[A-Z]\w*"),  # PostgreSQL, iPhone
)
_COUNTED = re.compile(r"\d+\.?(?:st|nd|rd|th|er|[ªºaosh]|[’']s)?(?:-[a-zß-ÿ]+)?")


def technical_terms(text: str) -> list[str]:
    """The words of a text that are technical terms by their shape, in their order.

    Letters with digits (K8s, CO2), two capitals or more (API), capitals within (PostgreSQL), and words joined as in code or
    in addresses (max_size, notes.jsonl). Roman numerals (II, XVI), ordinals, times and measures (3.º, 18h, 1990s, 24-yard) are
    none, and a text all in capitals has none by its capitals. Terms written as ordinary words (*posting list*) are not known.
    """
    words = [word.strip(".'-–—") for word in _WORD.findall(text)]
    shapes = _SHAPES if text == text.upper() else _SHAPES + _CAPITALS
    return [word for word in words if _is_technical(word, shapes)]


def _is_technical(word: str, shapes: tuple[re.Pattern[str], ...]) -> bool:
    is_plural = len(word) == 2 and word[0] == word[1]  # EE. UU.
    if is_plural or _ROMAN.fullmatch(word) or _COUNTED.fullmatch(word):
        return False
    return any(shape.fullmatch(word) for shape in shapes)
