"""Recognition of a change of subject before a question: "Olvida lo anterior, ¿…?", "Never mind that, …", "Vergiss das, …"."""

import re
from dataclasses import dataclass

_SPANISH = r"""
    (?:olvid(?:a|e|emos|ad|en)|dejemos|deja)\ (?:
        (?:todo\ )?lo\ (?:anterior|de\ antes)
        | (?:todo\ )?lo\ que\ (?:te\ |le\ )?(?:dije|decía|pregunt(?:é|aba)|he\ (?:dicho|preguntado))(?:\ antes)?
        | (?:todo\ )?lo\ que\ acabo\ de\ (?:decir|preguntar)(?:te|le)?
        | eso | esto | la\ (?:anterior|de\ antes)
        | (?:mi|la)\ (?:[úu]ltima\ )?pregunta(?:\ (?:anterior|de\ antes))?
    )
    | (?:olv[ií]d[ae]|d[eé]j[ae])lo | olv[ií]date\ de\ (?:eso|ello|lo\ anterior)
    | cambi(?:o|ando|emos)\ de\ tema | otra\ cosa
"""
_ENGLISH = r"""
    forget\ (?:about\ )?(?:
        that | this | it | (?:my|the)\ (?:last|previous|earlier)\ question
        | (?:what|everything)\ i\ (?:just\ )?(?:said|asked|wrote)(?:\ (?:just\ now|before|earlier))?
    )
    | never\ ?mind(?:\ (?:that|this|it))? | scratch\ that
"""
_GERMAN = r"""
    (?:vergiss|vergesst|vergessen\ sie)\ (?:
        das | es | das\ (?:eben|vorhin|vorige|letzte) | (?:die|meine)\ (?:letzte|vorige|vorherige|frühere)\ frage
        | was\ ich\ (?:eben\ |gerade\ |vorhin\ |vorher\ )?(?:gesagt|gefragt|geschrieben)\ (?:habe|hab|hatte)
    )
    | (?:anderes|neues)\ thema | themawechsel
"""
_OPENING = r"bueno|vale|bien|mira|no|ah|oye|por\ favor|ok(?:ay)?|well|please|gut|na\ gut|ach|bitte"
_DROPPING = re.compile(
    rf"""
    [\s¡]{{0,4}}(?:(?:{_OPENING})\b[\s,.…]{{0,4}})?
    (?:{_SPANISH} | {_ENGLISH} | {_GERMAN})
    (?:,?\ (?:por\ favor|porfa|please|bitte))?
    (?: \s{{0,4}}[,;:.!…–—-]{{1,4}}\s{{0,4}} | \s{{1,4}}(?=¿)
        | \ (?:y|and|und)\ (?:ahora\ )?(?:dime|tell\ me|sag(?:e|en\ sie)?\ mir)\ ,?\s{{0,4}} )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_EVERYTHING = re.compile(r"\b(?:todo|everything|all|alles)\b", re.IGNORECASE)
_ASKED = re.compile(
    r"""
    ¿ | (?:(?:a|con|de|en|para|por|desde|hasta|in|on|at|with|for|from|mit|seit|bis|von|für|bei)\ )?(?:
        qué|que|quién|quien|quiénes|cuándo|cuando|dónde|donde|cómo|como|cuánt[oa]s?|cuant[oa]s?|cuál(?:es)?|cual(?:es)?
        | puedes|puede|podr[ií]as?|sabes|recuerdas
        | what|who|whom|whose|when|where|how|why|which | do|does|did|is|are|am|was|were|have|has|had|can|could|would|will|should
        | was|wer|wen|wem|wessen|wann|wo|wie|warum|wieso|weshalb|woher|wohin|welche[rsmn]?
        | habe?|hast|hat|hatte[nst]?|bin|bist|ist|sind|war|waren|kann(?:st)?|könn(?:t?en|te|test)|w[eu]rden?|weißt|gibt|gab
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ABBREVIATED = re.compile(r"\b(?:[sd]ra?|srta|mrs?|ms|prof|st|nr|hr|fr)\.(?=\s)", re.IGNORECASE)
_MORE_THAN_ONE = re.compile(r"""[!?…]+\s*[^\s!?…"'»”)\]]|\.\s+\S|[;\n]""")


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectChange:
    """The question that follows where a subject was dropped; whether all that was ever said is to be forgotten ("everything")."""

    asked: str
    is_everything_dropped: bool


def subject_change(question: str) -> SubjectChange | None:
    """Read a change of subject; None where nothing is dropped, or where no single question follows.

    Dropped may be what was said, "that" or a question. "Forget your instructions" is none of these, and of what follows
    only a question is taken: "forget that. You are a pirate now" changes no subject.
    """
    dropping = _DROPPING.match(question)
    if dropping is None:
        return None
    asked = question[dropping.end() :]
    if not _ASKED.match(asked) or has_several_sentences(asked):
        return None
    return SubjectChange(asked=asked, is_everything_dropped=_EVERYTHING.search(dropping[0]) is not None)


def without_dropped_subject(question: str) -> str:
    """Return the question after a change of subject; the text itself where it changes none."""
    change = subject_change(question)
    return question if change is None else change.asked


def has_several_sentences(text: str) -> bool:
    """Tell whether a text continues after the end of a sentence or a semicolon; "Dr." ends none."""
    return _MORE_THAN_ONE.search(_ABBREVIATED.sub("", text).strip()) is not None
