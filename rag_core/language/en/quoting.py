"""English: words that decide which sentences are quoted."""

from rag_core.language.quoting import QuotingWords
from rag_core.language.words import word_set

_HAPPENING_WORDS = word_set(
    """
        do does did done doing happen happens happened happening occur occurred went go gone going been was were up on
        write wrote written note noted notes day days thing things tell me
        """
)

QUOTING = QuotingWords(
    happening_words=_HAPPENING_WORDS,
    light_words=_HAPPENING_WORDS
    | word_set(
        """
        say says said tell told give gave given get got gotten come came take took taken make made put see saw seen know knew
        want wanted let left keep kept called new year years mr mrs ms dr time
        """
    ),
    synonyms=tuple(
        word_set(words)
        for words in ("mother mom mum", "father dad", "doctor physician", "phone mobile", "car automobile")
    ),
)
