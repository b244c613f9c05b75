"""Addresses in a text that a reader or a program could follow: with a scheme, protocol-relative, "www.", and bare hosts. Pure.

Characters are read as browsers read them: in any case, full-width forms and dots of other scripts as ASCII. Linear in the text.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from rag_core.language.words import word_set
from rag_core.model import Span

_SLASHES = dict.fromkeys(map(ord, "\u2044\u2215\u29f8"), "/")
_SIGNS = _SLASHES | dict.fromkeys(map(ord, "\u2236\ua789"), ":") | {ord("\u3002"): "."}
# What may stand in an address: neither white space nor quotes, and brackets only around what is written to hide one ("evil[.]example").
_CHARACTER = r"(?:[^\s<>\"`«»“”„‹›\[\]]|\[(?:\.|:|dot|punto|punkt)\])"  # noqa: RUF001
_IPV6 = r"\[[0-9a-f.]{0,4}:[0-9a-f:.]{1,45}\]"
_ADDRESS = re.compile(
    rf"[a-z][a-z0-9+.-]{{0,30}}:[/\\]{{2}}{_CHARACTER}*+(?:{_IPV6}{_CHARACTER}*+)?"
    rf"|(?<![a-z0-9])(?:https?|h[tx]{{2}}ps?|ftps?|wss?|javascript|vbscript|livescript|blob|mailto|file|view-source):(?=\S){_CHARACTER}++"
    rf"|(?<![a-z0-9])data:[\w+.-]*+[/;,]{_CHARACTER}*+"
    rf"|[/\\]{{2}}(?:(?=\w)|{_IPV6}){_CHARACTER}*+"
    rf"|(?<![a-z0-9])www\d{{0,3}}\.(?=\w){_CHARACTER}++",
    re.IGNORECASE,
)
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*+")
_PATH = re.compile(rf"\.?(?::\d{{1,5}})?[/?#](?=[^\s.,;:!?)]){_CHARACTER}++")
_PORT = re.compile(r":\d{2,5}(?!\d)")
_IPV4 = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_MAILBOX = re.compile(r"[\w.+-]@\Z")
_DOMAINS = word_set(
    """
    com org net edu gov mil int io ai co app dev info biz xyz online site website shop store top club live pro tech cloud link click icu
    vip work blog page space fun host press win bid download stream review science party trade date faith loan men racing accountant
    eu es de uk fr pt ch nl pl ru cn ua tk ml ga cf gq mx ar cl cat eus gal me tv cc ws ly gg us ca br jp kr in su to
    example test invalid local localhost internal onion
    """
)
_CLOSING = {")": "(", "}": "{"}
_TRAILING = ".,;:!?'*_~…\u2019|"


def find_links(text: str, *, kept: Sequence[Span] = ()) -> list[Span]:
    """The spans of addresses, apart from each other and in the text's order, without the punctuation behind them.

    A host without a scheme counts where a path, a query or a port follows it, where it ends in a common top-level domain, or where
    it is in Punycode. E-mail addresses are none. ``kept`` are spans that no address may touch, such as marks of citations.
    """
    folded = _folded(_parted(text, kept))
    addresses = list(_addresses(folded))
    starts = [start for start, _ in addresses]
    hosts = (span for span in _hosts(folded) if not _is_covered(span[0], starts, addresses))
    return sorted([*addresses, *hosts])


def links_in(text: str) -> frozenset[str]:
    """The addresses of a text, as they stand in it."""
    return frozenset(text[start:end] for start, end in find_links(text))


def _parted(text: str, kept: Sequence[Span]) -> str:
    """The text with line ends in place of the spans; offsets hold."""
    if not kept:
        return text
    characters = list(text)
    for start, end in kept:
        characters[start:end] = "\n" * (end - start)
    return "".join(characters)


def _folded(text: str) -> str:
    """The text in ASCII forms of its characters where there are such, one for one, so that offsets hold."""
    return text if text.isascii() else text.translate(_FOLDS)


class _Folds(dict[int, str]):
    def __missing__(self, code: int) -> str:
        plain = unicodedata.normalize("NFKC", chr(code))
        folded = self[code] = _SIGNS.get(code) or (plain if len(plain) == 1 else chr(code))
        return folded


_FOLDS = _Folds()


def _addresses(folded: str) -> Iterator[Span]:
    for match in _ADDRESS.finditer(folded):
        yield match.start(), _end(folded, match.start(), match.end())


def _hosts(folded: str) -> Iterator[Span]:
    at = 0
    for match in _HOST.finditer(folded):
        start, end = match.span()
        if start < at or "." not in match[0] or not _has_letter_or_is_ip(match[0]):
            continue
        rest = _PATH.match(folded, end) or _PORT.match(folded, end)
        if rest is not None:
            at = _end(folded, start, rest.end())
            yield start, at
        elif _is_domain(match[0]) and not _MAILBOX.search(folded, max(0, start - 2), start):
            yield start, end


def _has_letter_or_is_ip(host: str) -> bool:
    """Whether a host's last label begins with a letter and the one before has any; or it is an IPv4 address."""
    *_, name, domain = host.split(".")
    is_named = len(domain) > 1 and domain[0].isalpha() and any(map(str.isalpha, name))
    return is_named or domain.startswith("xn--") or _IPV4.fullmatch(host) is not None


def _is_domain(host: str) -> bool:
    """Whether a bare host is one by its look: a top-level domain in one case ("fin.Es" is a missing blank), or Punycode."""
    domain = host.rpartition(".")[2]
    is_common = domain.lower() in _DOMAINS and (domain.islower() or domain.isupper())
    return is_common or any(label.lower().startswith("xn--") for label in host.split("."))


def _end(text: str, start: int, end: int) -> int:
    """Where an address ends: without punctuation, and without a closing bracket that nothing in it opens."""
    open_until = {
        close: text.count(opening, start, end) - text.count(close, start, end) for close, opening in _CLOSING.items()
    }
    while end > start + 1:
        last = text[end - 1]
        if last in _CLOSING and open_until[last] < 0:
            open_until[last] += 1
        elif last not in _TRAILING:
            break
        end -= 1
    return end


def _is_covered(at: int, starts: list[int], spans: list[Span]) -> bool:
    before = bisect_right(starts, at) - 1
    return before >= 0 and at < spans[before][1]
