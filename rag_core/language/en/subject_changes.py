"""English: words around a change of subject."""

from rag_core.language.subject_changes import SubjectChangeWords

SUBJECT_CHANGES = SubjectChangeWords(
    dropping=r"""
    forget\ (?:about\ )?(?:
        that | this | it | (?:my|the)\ (?:last|previous|earlier)\ question
        | (?:what|everything)\ i\ (?:just\ )?(?:said|asked|wrote)(?:\ (?:just\ now|before|earlier))?
    )
    | never\ ?mind(?:\ (?:that|this|it))? | scratch\ that
    """,
    opening="ok(?:ay)?|well|please",
    please="please",
    then_tell=r"and\ tell\ me",
    everything="everything|all",
    prepositions="in|on|at|with|for|from",
    asking=r"""
    what|who|whom|whose|when|where|how|why|which
    | do|does|did|is|are|am|was|were|have|has|had|can|could|would|will|should
    """,
    abbreviations="mrs?|ms|prof|st",
)
