"""Addresses in a text that a reader or a program could follow: with a scheme, protocol-relative, "www.", and bare hosts. Pure.

Characters are read as browsers read them: in any case, full-width forms and dots of other scripts as ASCII. Linear in the text.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from rag_core.language.words import word_set
from rag_core.model.note import Span

_SLASHES = dict.fromkeys(map(ord, "\u2044\u2215\u29f8"), "/")
_SIGNS = _SLASHES | dict.fromkeys(map(ord, "\u2236\ua789"), ":") | {ord("\u3002"): "."}
# What may stand in an address: neither white space nor quotes, and brackets only around what is written to hide one ("evil[.]example").
_CHARACTER = r"(?:[^\s<>\"`«»“”„‹›\[\]]|\[(?:\.|:|dot|punto|punkt)\])"  # noqa: RUF001
_IPV6 = r"\[[0-9a-f.]{0,4}:[0-9a-f:.]{1,45}\]"
_ADDRESS = re.compile(
    rf"[a-z][a-z0-9+.-]{{0,30}}:[/\\]{{2}}(?>{_CHARACTER}*)(?:{_IPV6}(?>{_CHARACTER}*))?"
    rf"|(?<![a-z0-9])(?:https?|h[tx]{{2}}ps?|ftps?|wss?|javascript|vbscript|livescript|blob|mailto|file|view-source):(?=\S)(?>{_CHARACTER}+)"
    rf"|(?<![a-z0-9])(?:(?:tel|sms|callto|skype|facetime|bitcoin|ms-[a-z]{{2,20}}):(?=[\w+])|magnet:\?|intent:(?=[#/]))(?>{_CHARACTER}+)"
    rf"|(?<![a-z0-9])data:[\w+.-]*+[/;,](?>{_CHARACTER}*)"
    rf"|[/\\]{{2}}(?:(?=\w)|{_IPV6})(?>{_CHARACTER}*)"
    rf"|(?<![a-z0-9])www\d{{0,3}}\.(?=\w)(?>{_CHARACTER}+)",
    re.IGNORECASE,
)
_HOST = re.compile(r"[\w-]+(?>(?:\.[\w-]+)*)")
_PATH = re.compile(rf"\.?(?::\d{{1,5}})?(?:[/?#](?=[^\s.,;:!?)])|/\?(?=\w))(?>{_CHARACTER}+)")
_PORT = re.compile(r":\d{2,5}(?!\d)")
_TELLING_PATH = re.compile(r"\.?:\d|[^?#]*\?[\w.%+-]++=")
"""Part of an address that makes one of any host: a port before the path, or a query."""
_ESCAPED = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_IPV4 = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_MAILBOX = re.compile(r"[\w.+-]@\Z")
_DOMAINS = word_set(
    """
    com org net edu gov mil int app dev info biz xyz online site website shop store top club live pro tech cloud link click icu
    vip work blog page space fun host press win bid download stream review science party trade date faith loan men racing accountant
    zip mov support academy bank agency care center chat codes company digital email expert finance group guru help life ltd media money
    network news one pay plus run services social solutions systems team today tools video wiki world zone cat eus gal
    aero asia coop museum name xxx
    example test invalid local localhost internal onion \u0440\u0444
    """
)
_COUNTRIES = word_set(
    """
    ac ad ae af ag ai al am ao ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd cf cg ch ci ck cl cm
    cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gd ge gf gg gh gi gl gm gn gp gq gr gs gt
    gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv
    ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl
    pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn
    to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw
    """
)
_NEVER_BARE = word_set("md py rs sh ps al am as by do id im is la mi my na ni no pa re si so va ve vi")
"""Countries that are also how names of files end, or words: "notas.md", "en casa.la cena"."""
_WORDS = word_set("at be de es in it me se su to us")
"""Countries that are words, and common in addresses: behind a short word the blank is missing ("fin.me duele")."""
_SHORT = 3
_NO_WORDS = word_set("com net org edu gov biz")
"""Top-level domains that begin no sentence, so that "evil.Com" is not a missing blank."""
_CLOSING = {")": "(", "}": "{"}
_TRAILING = ".,;:!?'*_~…\u2019|"


def find_links(text: str, *, kept: Sequence[Span] = ()) -> list[Span]:
    """The spans of addresses, apart from each other and in the text's order, without the punctuation behind them.

    A host without a scheme counts where a path, a query or a port follows it, where it ends in a common top-level domain, or where
    it is in Punycode. E-mail addresses are none. ``kept`` are spans such as marks of citations: an address
    neither begins nor ends in one, but goes on behind it where it is one without it ("evil[1].com/x").
    """
    spans = _found(_parted(text, kept))
    joined = _joined(text, kept)
    if joined is not None:
        read, origins = joined
        spans = _united([*spans, *((origins[start], origins[end - 1] + 1) for start, end in _found(read))])
    return spans


def _found(text: str) -> list[Span]:
    folded = _folded(text)
    addresses = list(_addresses(folded))
    starts = [start for start, _ in addresses]
    hosts = (span for span in _hosts(folded) if not _is_covered(span[0], starts, addresses))
    return sorted([*addresses, *hosts])


def _joined(text: str, kept: Sequence[Span]) -> tuple[str, Sequence[int]] | None:
    """The text without ``kept`` and the backslashes of Markdown, with each character's place; None if it is the same."""
    dropped = [*kept, *(match.span() for match in _ESCAPED.finditer(text))]
    if not dropped:
        return None
    gone = {at for start, end in dropped for at in range(start, end)}
    origins = [at for at in range(len(text)) if at not in gone]
    return "".join(text[at] for at in origins), origins


def _united(spans: Sequence[Span]) -> list[Span]:
    apart: list[Span] = []
    for start, end in sorted(spans):
        if apart and start < apart[-1][1]:
            apart[-1] = apart[-1][0], max(apart[-1][1], end)
        else:
            apart.append((start, end))
    return apart


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
        character = _SIGNS.get(code) or (_SIGNS.get(ord(plain), plain) if len(plain) == 1 else chr(code))
        if character != chr(code):
            self[code] = character
        return character


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
        path = _PATH.match(folded, end)
        if path is not None and _is_host(match[0], path[0]):
            at = _end(folded, start, path.end())
            yield start, at
        elif (port := _PORT.match(folded, end)) is not None and _is_bare(match[0]):
            yield start, port.end()
        elif _is_domain(match[0]) and not _MAILBOX.search(folded, max(0, start - 2), start):
            yield start, end


def _is_host(host: str, path: str) -> bool:
    """Tell a host before a path from an abbreviation ("EE.UU./México", "Dr.Pérez/Dra.López", "Node.js/Express")."""
    domain = host.rpartition(".")[2]
    is_one = len(domain) > 2 and (domain.islower() or domain.isupper())
    return _is_known(host) or is_one or any(map(str.isdigit, host)) or _TELLING_PATH.match(path) is not None


def _is_known(host: str) -> bool:
    """Tell whether a host has a known top-level domain in any case, is in Punycode, or is an IPv4 address."""
    domain = host.rpartition(".")[2].lower()
    return domain in _DOMAINS | _COUNTRIES or _is_coded(host) or _is_ip(host)


def _is_coded(host: str) -> bool:
    return any(label.lower().startswith("xn--") for label in host.split("."))


def _is_ip(host: str) -> bool:
    return _IPV4.fullmatch(host) is not None


def _has_letter_or_is_ip(host: str) -> bool:
    """Tell whether a host's last label begins with a letter and the one before has one, or it is an IPv4 address."""
    *_, name, domain = host.split(".")
    is_named = len(domain) > 1 and domain[0].isalpha() and any(map(str.isalpha, name))
    return is_named or domain.startswith("xn--") or _is_ip(host)


def _is_domain(host: str) -> bool:
    """Tell a bare host by its form: a top-level domain that begins no sentence ("fin.Es" is a missing blank), or Punycode."""
    name, _, domain = host.rpartition(".")
    is_sentence = domain.lower() in _WORDS and name.isalpha() and len(name) <= _SHORT
    is_common = not domain.istitle() or domain.lower() in _NO_WORDS
    return _is_coded(host) or (is_common and _is_bare(host) and not is_sentence and not _is_ip(host))


def _is_bare(host: str) -> bool:
    return _is_known(host) and host.rpartition(".")[2].lower() not in _NEVER_BARE


def _end(text: str, start: int, end: int) -> int:
    """Find the end of an address, without punctuation and without a closing bracket that nothing in it opens."""
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
