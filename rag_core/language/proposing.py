"""Form of the wording of questions that are proposed from a note."""

from collections.abc import Mapping
from dataclasses import dataclass, field

NAME = r"[A-ZÁÉÍÓÚÑÜÄÖ][\w'’-]+(?: (?:(?:de|del|de la|von) )?[A-ZÁÉÍÓÚÑÜÄÖ][\w'’-]+){0,2}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalWording:
    """Patterns of statements in one language, and templates of questions about them.

    ``clause`` finds subject, verb and rest at the beginning of a sentence, ``definition`` term, copula and what it is;
    ``and_verb`` is where a second predicate begins, ``finite`` the beginning of a clause rather than of a noun,
    ``dated`` of one that tells what happened on a day, ``unclear`` of one that speaks of somebody named before.
    ``object_of_two`` begins what may be asked by "what" of two days, ``named_with`` are articles that a question repeats.
    ``because`` stands between an effect and its cause, both clauses, ``therefore`` between cause and effect. ``months`` are
    twelve names. Questions have their parts in braces; an empty one is not asked in that language. ``vague`` are words that
    only point at something said before, ``no_names`` begin sentences with a capital without naming anybody.
    """

    clause: str
    definition: str
    because: str
    therefore: str
    verb_of_cause: str
    object_start: str
    object_of_two: str
    and_verb: str
    finite: str
    dated: str
    unclear: str
    vague: frozenset[str]
    no_names: frozenset[str]
    articles: frozenset[str]
    named_with: frozenset[str]
    date: str
    months: tuple[str, ...]
    quoted: str
    who: str
    what: str
    when: str
    how_many: str
    amount: str
    why: str
    what_caused: str
    defined: str
    label: str
    list_of: str
    day: str
    difference: str
    on_day: str
    two: str
    what_then: str
    where_then: str
    noted_then: str
    titled_then: str
    unit_names: Mapping[str, str] = field(default_factory=dict)
    feminine_units: frozenset[str] = frozenset()
    masculine_units: frozenset[str] = frozenset()
    feminine_endings: tuple[str, ...] = ()
    asking_number: tuple[str, str] = ("", "")
    """Words that ask for the number of masculine and of feminine things."""
    quantity: str = "(?!)"
    """Beginning of the rest of a clause that counts things: the groups number, unit and after."""
    not_asked_by_what: tuple[str, ...] = ()
    """Endings of verbs whose complement is no object."""
    place: str = "(?!)"
    """Beginning of the rest of a clause that tells where."""
    measures: str = "(?!)"
    """Pattern of the measures in a list of ingredients."""
    of: str = ""
    """Preposition between a measure and the thing measured, with its space."""
