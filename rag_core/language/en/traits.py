"""English: traits."""

from rag_core.language.traits import LanguageTraits, ReadingEase

TRAITS = LanguageTraits(
    stemmer="english",
    decimal_point=".",
    thousands_separator=",",
    has_capitalised_nouns=False,
    has_verb_after_subject=True,
    has_head_first=False,
    negations_behind=(),
    has_day_before_month=False,
    signs="",
    phone_regions=("ES", "DE", "GB", "US"),
    reading_ease=ReadingEase(
        name="Flesch",
        base=206.835,
        words_a_sentence=1.015,
        syllables_a_word=84.6,
        syllable=r"(?!e\b)[aeiouy]+|(?<=[^aeiouy]l)e\b",
    ),
)
