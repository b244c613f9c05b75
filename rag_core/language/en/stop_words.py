"""English: function words."""

from rag_core.language.stop_words import StopWords
from rag_core.language.words import word_set

STOP_WORDS = StopWords(
    function_words=word_set(
        """
    a about after all also although an and any are as at be because been before being between both but by
    can could did do does during each for from had has have he her here him his how however i if in into is
    it its just many may me might more most much must my no nor not of on one only or other our out over
    shall she should since so some such than that the their them then there these they this those though
    through to too under until up us very was we were what when where whether which while who whom whose why
    will with within without would you your
    """
    ),
    negations=word_set("not no never nor neither without cannot t hardly barely scarcely"),
    prepositions=word_set(
        "about after against at before behind between by during for from in into of on over through to under with without"
    ),
    determiners=word_set("the a an my your his her its our their this that these those any some another"),
    contractions={},
    conjunctions=word_set("and or but because that"),
    clause_connectors=word_set("and or but because although while when where which that so"),
)
