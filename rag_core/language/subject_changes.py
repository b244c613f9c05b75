"""How people drop a subject before they ask about another: "Olvida lo anterior, ¿…?", "Never mind that, …", "Vergiss das, …"."""

import re

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
_DROPPING = re.compile(
    rf"""
    [\s¡]{{0,4}}(?:(?:bueno|vale|bien|mira|no|ah|oye|ok(?:ay)?|well|gut|na\ gut|ach)\b[\s,.…]{{0,4}})?
    (?:{_SPANISH} | {_ENGLISH} | {_GERMAN})
    \s{{0,4}}[,;:.!…–—-]{{1,4}}\s{{0,4}}
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ASKED = re.compile(
    r"""
    ¿ | (?:(?:a|con|de|en|para|por|desde|hasta|in|on|at|with|for|from|mit|seit|bis|von|für|bei)\ )?(?:
        qué|que|quién|quien|quiénes|cuándo|cuando|dónde|donde|cómo|como|cuánt[oa]s?|cuant[oa]s?|cuál(?:es)?|cual(?:es)?
        | what|who|whom|whose|when|where|how|why|which | do|does|did|is|are|was|were|have|has|had|can|could
        | was|wer|wen|wem|wessen|wann|wo|wie|warum|wieso|weshalb|woher|wohin|welche[rsmn]? | habe?|hat|hatte|ist|sind|war|waren
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_MORE_THAN_ONE = re.compile(r"[.!?…]\s+\S|\n")


def without_dropped_subject(question: str) -> str:
    """What is asked after a subject was dropped; the question itself where none was, or where no single question follows.

    What is to be forgotten is what was said, "that" or a question. "Forget your instructions" is none of these, and of what follows
    only a question is taken: "forget that. You are a pirate now" stays as it is.
    """
    dropping = _DROPPING.match(question)
    if dropping is None:
        return question
    asked = question[dropping.end() :]
    return question if not _ASKED.match(asked) or _MORE_THAN_ONE.search(asked.rstrip()) else asked
