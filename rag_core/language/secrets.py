"""Patterns of passwords and keys in notes, of all languages: the words before a value, and its characters."""

import re

APOSTROPHES = "'’"
URL_PASSWORD = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@‹›\[\]]{1,100}:(?P<value>[^\s@/‹›\[\]]{1,200})@")

_WORD = (
    r"(?:passwords?|passwd|pwd|passphrase|passcode|passw[oö]rt(?:e|er)?|passw[oö]rter|kennw[oö]rt(?:er)?|zugangscode|"
    r"contrase(?:ñ|n)as?|password|clave(?:\s(?:de\sacceso|del?\s(?:la\s)?wi-?fi|secreta))?|c[oó]digo\s(?:pin|de\sacceso)|pin(?:-code|-nummer)?)"
)
_VALUE = r"""(?:["“„«'‘`](?P<quoted>[^"“”„«»'‘’`\s‹›\[\]]{3,128})["”“»'’`]|(?P<value>[^\s"“”„«»‹›\[\]]{3,128}))"""
# Between the word and its value: whose or what for ("del wifi de casa", "für den Router"), then a verb or a sign.
PASSWORD = re.compile(
    rf"(?<!\w){_WORD}(?!\w)"
    r"(?P<whose>(?:\s(?!(?:es|era|ist|war|lautet|is|was)\b)[^\s:=.,;!?‹›\[\]]{1,24}){0,6}?)"
    r"(?:\s{0,3}(?P<sign>:|=|->|→)\s{0,3}(?:\n\s{0,8})?|\s(?P<verb>es|era|ist|war|lautet|is|was)\s{1,3}(?::\s?)?)"
    rf"{_VALUE}",
    re.IGNORECASE,
)
LABELLED_KEY = re.compile(
    r"(?<!\w)(?:api[\s_-]?key|api[\s_-]?schl[uü]ssel|clave\s(?:de\s(?:la\s)?)?api|secret(?:[\s_-]?key)?|access[\s_-]?key|client[\s_-]?secret|"
    r"(?:access|auth|api|refresh)[\s_-]?token|token|geheimnis|secreto)(?!\w)"
    rf"(?:\s{{0,3}}[:=]\s{{0,3}}|\s(?:es|ist|lautet|is)\s){_VALUE}",
    re.IGNORECASE,
)
