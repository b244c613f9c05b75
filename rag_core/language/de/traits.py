"""German: traits."""

from rag_core.language.traits import LanguageTraits

TRAITS = LanguageTraits(
    stemmer="german",
    decimal_point=",",
    thousands_separator=".",
    has_capitalised_nouns=True,
    has_verb_after_subject=False,
    has_head_first=False,
    has_negation_behind=True,
    has_day_before_month=True,
    signs="ß",
    phone_regions=("DE", "ES"),
)
