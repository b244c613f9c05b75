"""Passwords, keys and tokens by what their values look like. Pure.

A password is a value that a word such as "contraseña" is followed by, and no more than that value; "the password is required" has
none. Keys are known by their makers' prefixes, or by a word and a long value of many different characters.
"""

import re
from collections.abc import Iterator

from rag_core.guardrails import Finding, SecretKind
from rag_core.language.languages import any_word

_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_KEY = re.compile(
    r"(?<![\w-])(?:"
    r"sk-[\w-]{16,200}|[rsp]k_(?:live|test)_\w{10,200}|gh[opsur]_\w{20,255}|github_pat_\w{20,255}|glpat-[\w-]{16,64}|"
    r"xox[abeoprs]-[\w-]{10,250}|A(?:KI|SI)A[0-9A-Z]{16}|AIza[\w-]{35}|hf_[A-Za-z]{20,64}|npm_\w{30,64}|pypi-[\w-]{40,250}|"
    r"SG\.[\w-]{16,32}\.[\w-]{32,64}|brain_[a-z0-9]{12}_[\w-]{43}"
    r")(?![\w-])",
    re.ASCII,
)
_TOKEN = re.compile(
    r"(?<![\w-])eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{8,4000}|\b[Bb]earer\s{1,3}(?P<value>[\w.~+/-]{16,4000}={0,2})",
    re.ASCII,
)
_URL_PASSWORD = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@‹›\[\]]{1,100}:(?P<value>[^\s@/‹›\[\]]{1,200})@")
_VALUE = r"""(?:["“„«'‘`](?P<quoted>[^"“”„«»'‘’`\s‹›\[\]]{3,128})["”“»'’`]|(?P<value>[^\s"“”„«»‹›\[\]]{3,128}))"""
_IS = any_word(lambda words: [words.secrets.copula])
_IS_OR_WAS = any_word(lambda words: [words.secrets.copula, words.secrets.past_copula])
# Between the word and its value: whose or what for ("del wifi de casa", "für den Router"), then a verb or a sign.
_PASSWORD = re.compile(
    rf"(?<!\w)(?:{any_word(lambda words: [words.secrets.passwords])})(?!\w)"
    rf"(?P<whose>(?:\s(?!(?:{_IS_OR_WAS})\b)[^\s:=.,;!?‹›\[\]]{{1,24}}){{0,6}}?)"
    rf"(?:\s{{0,3}}(?P<sign>:|=|->|→)\s{{0,3}}(?:\n\s{{0,8}})?|\s(?P<verb>{_IS_OR_WAS})\s{{1,3}}(?::\s?)?)"
    rf"{_VALUE}",
    re.IGNORECASE,
)
_LABELLED_KEY = re.compile(
    rf"(?<!\w)(?:{any_word(lambda words: [words.secrets.keys])})(?!\w)(?:\s{{0,3}}[:=]\s{{0,3}}|\s(?:{_IS})\s){_VALUE}",
    re.IGNORECASE,
)
_AMBIGUOUS = re.compile(any_word(lambda words: [words.secrets.ambiguous]), re.IGNORECASE)
_END = ".,;:!?)"
_STRIPPED_OF_PASSWORDS = ".,;:)"
"""An exclamation or question mark behind a password may be its last character, so it is hidden too."""
_WITHIN_WORDS = "-/'’"
_LEAST_KEY_CHARACTERS = 12


def find_secrets(text: str) -> list[Finding]:
    """Find secrets of every kind, in the text's order; findings may overlap across kinds."""
    found: list[Finding] = [Finding(span=match.span(), kind="private_key") for match in _PRIVATE_KEY.finditer(text)]
    found += [Finding(span=match.span(), kind="api_key") for match in _KEY.finditer(text)]
    found += [
        Finding(span=match.span("value") if match["value"] else match.span(), kind="token")
        for match in _TOKEN.finditer(text)
    ]
    found += [Finding(span=match.span("value"), kind="password") for match in _URL_PASSWORD.finditer(text)]
    found += _valued(text, _PASSWORD, "password")
    found += _valued(text, _LABELLED_KEY, "api_key")
    return sorted(found, key=lambda finding: finding.span)


def _valued(text: str, pattern: re.Pattern[str], kind: SecretKind) -> Iterator[Finding]:
    for match in pattern.finditer(text):
        group = "quoted" if match["quoted"] else "value"
        start, end = match.span(group)
        value = judged = text[start:end]
        if group == "value":
            judged, value = value.rstrip(_END), value.rstrip(_STRIPPED_OF_PASSWORDS if kind == "password" else _END)
        is_signed = kind == "password" and match["sign"] is not None and not _AMBIGUOUS.match(match[0])
        if _is_secret(judged, kind=kind, is_signed=is_signed, is_quoted=group == "quoted"):
            yield Finding(span=(start, start + len(value)), kind=kind)


def _is_secret(value: str, *, kind: SecretKind, is_signed: bool, is_quoted: bool) -> bool:
    """Tell whether a value looks made up, unlike the next word of a sentence."""
    if kind == "api_key":
        return len(value) >= _LEAST_KEY_CHARACTERS and any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    if len(value) < 4:
        return False
    is_mixed = (
        any(map(str.isdigit, value))
        or any(not c.isalnum() and c not in _WITHIN_WORDS for c in value)
        or _has_inner_capital(value)
    )
    return is_mixed or is_quoted or is_signed


def _has_inner_capital(value: str) -> bool:
    return any(map(str.isupper, value[1:])) and any(map(str.islower, value))
