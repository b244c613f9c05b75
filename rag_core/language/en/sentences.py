"""English: abbreviations and other words around a full stop."""

from rag_core.language.sentences import SentenceWords
from rag_core.language.words import word_set

SENTENCES = SentenceWords(
    titles=word_set(
        """
    capt cmdr col dr drs gen gov hon lt messrs mlle mme mr mrs ms msgr prof rep rev sen sgt
    """
    ),
    abbreviations=word_set(
        """
    approx apt cf chap dept div e.g ed eds eg eq est figs i.e ibid ie pp tel univ viz vol vols vs
    """
    ),
    ending_abbreviations=word_set(
        """
    a.m bros co corp etc ft hr hrs inc intl jr kg km lb lbs ltd oz p.m ph.d sr treas u.k u.s yr yrs
    """
    ),
    measures=word_set("cm ft g h hr hrs kg km lb lbs m mg min ml mm oz yr yrs"),
    ordinary_words=frozenset({"art", "may", "no"}),
    ordinal_context=frozenset(),
)
