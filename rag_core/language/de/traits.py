"""German: traits."""

from rag_core.language.traits import LanguageTraits, ReadingEase

TRAITS = LanguageTraits(
    stemmer="german",
    decimal_point=",",
    thousands_separator=".",
    has_capitalised_nouns=True,
    has_verb_after_subject=False,
    has_head_first=False,
    negations_behind=("nicht", "nie", "niemals", "kaum"),
    has_day_before_month=True,
    signs="ß",
    phone_regions=("DE", "ES"),
    reading_ease=ReadingEase(
        name="Amstad",
        base=180.0,
        words_a_sentence=1.0,
        syllables_a_word=58.5,
        syllable=r"aa|ee|oo|ie|ei|ai|eu|äu|au|[aeiouyäöü]",
    ),
)
