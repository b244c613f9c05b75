"""Detection of texts in a language that has no folder."""

import re
from collections.abc import Mapping

from rag_core.language import LANGUAGES
from rag_core.language.languages import language_of
from rag_core.language.words import word_set

_WORD = re.compile(r"[^\W\d_]+")
_EXAMINED_CHARACTERS = 2_000
_LEAST_WORDS = 3
"""Least number of distinct function words that prove a language: "no", "me" and "come" are words of many."""
_LEAST_SHARE = 0.6
_OURS = frozenset[str]().union(*(language_of(language).stop_words.function_words for language in LANGUAGES))

_FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    "fr": word_set(
        """
        le la les un une des du de et est sont dans pour que qui quoi quel quelle quels quelles ne pas avec sur par plus
        nous vous ils elles il elle je tu mon ma mes ton ta tes son sa ses notre votre leur leurs ce cette ces où quand
        comment pourquoi combien au aux mais ou donc été être avoir ai as avons avez ont fait très aussi depuis chez
        """
    ),
    "it": word_set(
        """
        il lo la i gli le un uno una di del dello della dei degli delle che chi cosa come quando dove perché quale quali è
        sono non con per su da dal dalla nel nella nei al alla ai alle e ed o ma mio mia miei tuo tua suo sua nostro questo
        questa questi quello quella anche più molto ho hai ha abbiamo hanno era stato stata fatto ci si
        """
    ),
    "pt": word_set(
        """
        o a os as um uma uns umas de do da dos das em no na nos nas que quem qual quais não com por para pelo pela e é são
        foi eu tu você ele ela nós vocês eles elas meu minha meus seu sua seus este esta isso isto aquele quando onde como
        porque mais muito também já há ter tem tenho estou está ao à às se mas ou
        """
    ),
    "nl": word_set(
        """
        de het een en van in is zijn was waren dat die deze dit wat wie waar wanneer waarom hoe welke niet geen met voor op
        aan bij naar uit over door ik jij je hij zij ze wij we jullie mijn jouw ons onze hun haar er ook maar of als dan
        heb hebt heeft hebben had kan kunnen zal worden wordt
        """
    ),
    "ca": word_set(
        """
        el la els les un una uns unes de del dels i és són que què qui quin quina quins quan on com perquè amb per en al als
        no més molt també jo tu ell ella nosaltres vosaltres meu meva teu teva seu seva aquest aquesta aquests això allò hi
        ha he has han hem va vaig van però o
        """
    ),
}
_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
)
"""A script by the language it most often writes; the first that half of the letters are of decides, kana before Han."""


def foreign_language(text: str) -> str | None:
    """The code of the language that a text is plainly in when it has no folder; else None.

    By script, else by function words that none of our languages has: French when there are more of them than of all words of
    our languages. Short texts are given the benefit of the doubt, and so is ''.
    """
    examined = text[:_EXAMINED_CHARACTERS]
    return _by_script(examined) or _by_words(_WORD.findall(examined.lower()))


def _by_script(text: str) -> str | None:
    letters = sum(map(str.isalpha, text))
    counts = {language: len(pattern.findall(text)) for language, pattern in _SCRIPTS}
    if counts["ja"]:
        counts["ja"] += counts.pop("zh")
    language = max(counts, key=counts.__getitem__)
    return language if counts[language] > letters / 2 else None


def _by_words(words: list[str]) -> str | None:
    own = sum(word in _OURS for word in words)
    foreign = {language: known for language, known in _FUNCTION_WORDS.items() if language not in LANGUAGES}
    counts = {language: sum(word in known for word in words) for language, known in foreign.items()}
    language = max(counts, key=counts.__getitem__)
    distinct = {word for word in words if word in _FUNCTION_WORDS[language] and word not in _OURS}
    is_plain = len(distinct) >= _LEAST_WORDS and counts[language] * _LEAST_SHARE > own
    return language if is_plain else None
