"""English: function words, and how abbreviations behave at the end of a sentence."""

from rag_core.language.words import word_set

FUNCTION_WORDS = word_set(
    """
    a about after all also although an and any are as at be because been before being between both but by
    can could did do does during each for from had has have he her here him his how however i if in into is
    it its just many may me might more most much must my no nor not of on one only or other our out over
    shall she should since so some such than that the their them then there these they this those though
    through to too under until up us very was we were what when where whether which while who whom whose why
    will with within without would you your
    """
)

TITLES = word_set(
    """
    capt cmdr col dr drs gen gov hon lt messrs mlle mme mr mrs ms msgr prof rep rev sen sgt
    """
)
"""Written before a name: never the end of a sentence, whatever follows."""

ABBREVIATIONS = word_set(
    """
    approx apt cf chap dept div e.g ed eds eg eq est figs i.e ibid ie pp tel univ viz vol vols vs
    """
)
"""Bound to what follows, unless a sentence plainly begins there (a capitalised function word)."""

ENDING_ABBREVIATIONS = word_set(
    """
    a.m bros co corp etc ft hr hrs inc intl jr kg km lb lbs ltd oz p.m ph.d sr treas u.k u.s yr yrs
    """
)
"""Stand inside a sentence and at its end alike: only the next word tells."""

MEASURES = word_set("cm ft g h hr hrs kg km lb lbs m mg min ml mm oz yr yrs")
"""Units: after a number, and before a capital, their full stop ends the sentence ("of 12 ft. Miller")."""

ORDINARY_WORDS = frozenset({"art", "may", "no"})
"""Everyday words that the segmenter takes for abbreviations before a name ("He said no. Luke left")."""

ORDINAL_CONTEXT: frozenset[str] = frozenset()
"""Words that make a number with a full stop an ordinal: none here."""
