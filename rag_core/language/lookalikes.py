"""Letters of other scripts that look like Latin ones: what they are read as where somebody means to hide a word."""

from collections.abc import Mapping

_CYRILLIC = dict(zip("авеѕіјкмнорсԁтухһԛԝгѵ", "abesijkmhopcdtyxhqwrv", strict=True))
_GREEK = dict(zip("αβεικνορτυχγ", "abeiknoptuxy", strict=True))
_CAPITALS = {letter.upper(): latin for letter, latin in (_CYRILLIC | _GREEK).items() if len(letter.upper()) == 1}
_OTHERS = dict(zip("ıɑɡɩʟɴʀᴀᴇᴏøł", "iagilnraeool", strict=True))
_APOSTROPHES = dict.fromkeys("’‘ʼ`´", "'")

LOOKALIKES: Mapping[str, str] = _CYRILLIC | _GREEK | _CAPITALS | _OTHERS | _APOSTROPHES
"""Always one letter for one, in lower case. Text that is really Cyrillic or Greek turns into nonsense, which commands nobody."""
