"""English: cues that one thing led to another."""

from rag_core.language.causality import CausalCue, CausalLanguage
from rag_core.language.words import word_set

CAUSALITY = CausalLanguage(
    cues=(
        CausalCue(
            pattern=r"the (?:cause of|reason (?:for|why|that))\s+(?P<effect>[^,;:.?!]{3,120}?)\s+(?:is|was|are|were)(?: that)?\s+"
            r"(?P<cause>[^,;:.?!]{3,160})",
            order="framed",
            confidence=0.8,
        ),
        CausalCue(
            pattern=r"(?:is|are|was|were|has been|had been) (?:mainly |partly |probably )?(?:caused|triggered|brought about) by",
            order="effect_verb",
            confidence=0.9,
        ),
        CausalCue(
            pattern=r"caused by|triggered by|(?:is|are|was|were) (?:mainly |partly |probably )?due to|"
            r"(?:results|resulted|stems|stemmed) from",
            order="effect_verb",
            confidence=0.85,
        ),
        CausalCue(
            pattern=r"(?:causes|caused|causing|has caused|had caused|provoked|brought about)(?! by)",
            order="cause_verb",
            confidence=0.85,
        ),
        CausalCue(
            pattern=r"(?:triggers|triggered|triggering|sets off|set off)(?! by)",
            order="cause_verb",
            kind="TRIGGERS",
            confidence=0.85,
        ),
        CausalCue(
            pattern=r"(?:leads|led|leading) to|(?:results|resulted|resulting) in|ended in|gave rise to|gives rise to",
            order="cause_verb",
            kind="LEADS_TO",
            confidence=0.85,
        ),
        CausalCue(
            pattern=r"(?:makes|made|making)(?=\s(?:me|him|her|us|them|my|the|it)\b)",
            order="cause_verb",
            confidence=0.5,
            takes_clause=True,
        ),
        CausalCue(
            pattern=r"because of|due to|owing to|on account of|as a result of|thanks to",
            order="effect_first",
            confidence=0.85,
        ),
        CausalCue(pattern=r"because(?! of)", order="effect_first", confidence=0.85),
        CausalCue(
            pattern=r"(?:and )?(?:therefore|consequently|thus|hence|that is why|that's why|as a result|for this reason)(?! of)",
            order="cause_first",
            confidence=0.7,
            takes_clause=True,
        ),
        CausalCue(
            pattern=r"so that|(?<=, )(?:and )?so(?= (?:i|we|he|she|they|it|the|my|our|his|her)\b)",
            order="cause_first",
            confidence=0.6,
            takes_clause=True,
        ),
        CausalCue(pattern=r"since|as(?= (?:i|we|he|she|they|it|there)\b)", order="fronted_cause", confidence=0.4),
        CausalCue(pattern=r"every time|whenever", order="fronted_cause", kind="TRIGGERS", confidence=0.5),
    ),
    negation=r"\b(?:not|never|no|without|n't|neither|nor|just|only|simply)",
    conditional=r"^\W*(?:and |but )?(?:if|unless|although|though|whether)\b",
    hedge=r"\b(?:perhaps|maybe|probably|possibly|might|may|could|i think|i guess|i suppose|apparently)\b",
    nothing=r"(?:nothing|nobody|none|no)",
    reflexive=r"(?!)",
    anaphor=r"(?:all )?(?:this|that)(?=[ ,]*$)",
    antecedent=r"(?<!\bof )\b(?:the|a|an)\b",
    main_clause=r"(?!)",
    pronoun=r"(?:and )?(?:that|this|it|which|these|those|what)",
    opening=r"(?:and|or|but|then|also|besides|finally|today|yesterday|the next day|this (?:morning|evening|week)|only|just|"
    r"already|the|a|an|my|your|his|her|its|our|their|this|that|these|those|i think(?: that)?|perhaps|maybe|probably)",
    closing=r"(?:and|or|but|that|which|the|a|an|is|are|was|were|has|have|had|of|to|in|with|by|for|also|only|just|today|"
    r"yesterday|mainly|mostly|partly|probably|perhaps|maybe|can|could|may|might|often|then)",
    relative=r"(?:which|that|who|where)",
    joining=r"(?:and|or|but)",
    adjunct=r"(?:in|at|on|with|from|to|by|for|without|over|under|after|before|during|despite)",
    subordinator=r"(?:which|that|while|although|but|before|after|until|when|where|who)",
    clause_openings=("because",),
    reporting=r"(?:think|thinks|said|says|believe|believes|know|knows|shows|showed|found|suppose) that",
    polarity=word_set("not no never without nor cannot"),
    circumstance=word_set(
        """
        today yesterday tomorrow now then always again very much many strong terrible big large small new really almost just
        monday tuesday wednesday thursday friday saturday sunday day days hour hours time times having got been
        """
    ),
    asking=word_set(
        """
        cause causes caused reason reasons effect effects consequence consequences result results led lead leads trigger
        triggers triggered happen happens happened make makes made come came
        """
    ),
)
