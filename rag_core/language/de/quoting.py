"""German: words that decide which sentences are quoted."""

from rag_core.language.quoting import QuotingWords
from rag_core.language.words import word_set

_HAPPENING_WORDS = word_set(
    """
        mache machst macht machen machte machten machtest gemacht tue tut tun tat taten getan passiert passierte passierten
        geschah geschehen geschieht los war waren gewesen erlebt erlebte notiert notierte geschrieben tag tage notizen notiz
        """
)

QUOTING = QuotingWords(
    happening_words=_HAPPENING_WORDS,
    light_words=_HAPPENING_WORDS
    | word_set(
        """
        sage sagt sagen sagte gesagt gebe gibt geben gab gegeben gehe geht gehen ging gegangen komme kommt kommen kam gekommen
        lasse lässt lassen ließ gelassen heißt heißen hieß wollte weiß wissen wusste sehe sieht sehen sah gesehen bekam bekommen
        neu neue viel herr frau dr jahr jahre mal
        """
    ),
    synonyms=tuple(
        word_set(words) for words in ("mutter mama", "vater papa", "arzt ärztin", "handy telefon", "auto wagen")
    ),
)
