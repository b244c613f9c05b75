"""German: forms of words that the stemmer does not join."""

from rag_core.language.word_forms import WordForms

WORD_FORMS = WordForms(
    question_words=r"wann|warum|wer|weshalb|wieso|wieviele?|woher|wohin",
    has_umlauts=True,
    compound_links=("en", "es", "er", "s", "n", "e", ""),
)
