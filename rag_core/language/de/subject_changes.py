"""German: words around a change of subject."""

from rag_core.language.subject_changes import SubjectChangeWords

SUBJECT_CHANGES = SubjectChangeWords(
    dropping=r"""
    (?:vergiss|vergesst|vergessen\ sie)\ (?:
        das | es | das\ (?:eben|vorhin|vorige|letzte) | (?:die|meine)\ (?:letzte|vorige|vorherige|frühere)\ frage
        | was\ ich\ (?:eben\ |gerade\ |vorhin\ |vorher\ )?(?:gesagt|gefragt|geschrieben)\ (?:habe|hab|hatte)
    )
    | (?:anderes|neues)\ thema | themawechsel
    """,
    opening=r"gut|na\ gut|ach|bitte",
    please="bitte",
    then_tell=r"und\ sag(?:e|en\ sie)?\ mir",
    everything="alles",
    prepositions="mit|seit|bis|von|für|bei",
    asking=r"""
    was|wer|wen|wem|wessen|wann|wo|wie|warum|wieso|weshalb|woher|wohin|welche[rsmn]?
    | habe?|hast|hat|hatte[nst]?|bin|bist|ist|sind|war|waren|kann(?:st)?|könn(?:t?en|te|test)|w[eu]rden?|weißt|gibt|gab
    """,
    abbreviations="nr|hr|fr",
)
