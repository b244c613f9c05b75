"""Spanish: traits."""

from rag_core.language.traits import LanguageTraits, ReadingEase

TRAITS = LanguageTraits(
    stemmer="spanish",
    decimal_point=",",
    thousands_separator=".",
    has_capitalised_nouns=False,
    has_verb_after_subject=False,
    has_head_first=True,
    negations_behind=(),
    has_day_before_month=True,
    signs="¿¡ñÑ",
    phone_regions=("ES", "DE"),
    reading_ease=ReadingEase(
        name="Fernández Huerta",
        base=206.84,
        words_a_sentence=1.02,
        syllables_a_word=60.0,
        syllable=r"[iuü]?[aeoáéó][iuyü]?(?![íú])|[íú]|[iuüy]+",
    ),
)
