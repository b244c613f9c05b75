"""A place stayed in for one gone to: "¿y en Toledo?" after "¿cómo fue el viaje a Cádiz?". Pure."""

from collections.abc import Sequence
from dataclasses import replace

from rag_core.answering.understanding.noun_phrases import NounPhrase, words_of
from rag_core.language.languages import language_of
from rag_core.model.note import Language


def destination_for(new: NounPhrase, known: Sequence[NounPhrase], text: str, language: Language) -> NounPhrase | None:
    """The place gone to that a place stayed in takes the place of, the last one; None where another phrase is more like it."""
    if new.preposition not in language_of(language).follow_ups.staying_in:
        return None
    alike = [old for old in known if old.kind == new.kind and not old.is_asked]
    if any(old.preposition == new.preposition for old in alike):
        return None
    return next((old for old in reversed(alike) if _is_destination(old, text, language)), None)


def with_complement(old: NounPhrase, known: Sequence[NounPhrase], text: str, language: Language) -> NounPhrase:
    """The phrase with the name that is joined to it: "en el restaurante de Cádiz"."""
    if old.kind != "determined" or not old.preposition:
        return old
    joined = (
        phrase
        for phrase in known
        if phrase.preposition in language_of(language).follow_ups.complements
        and phrase.kind != "determined"
        and text[old.end : phrase.start].isspace()
    )
    complement = next(joined, None)
    return old if complement is None else replace(old, end=complement.end)


def _is_destination(phrase: NounPhrase, text: str, language: Language) -> bool:
    """Test whether it names what is gone to; "¿a quién vi?" and "vi a Lucas" have the same preposition in Spanish."""
    if phrase.preposition != language_of(language).follow_ups.going_to:
        return False
    before = words_of(text[: phrase.start])
    return not language_of(language).follow_ups.motion or (
        bool(before) and before[-1].key in language_of(language).follow_ups.motion
    )
