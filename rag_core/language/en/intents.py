"""English: phrases that tell the intent of a question."""

from rag_core.language.en.times import TIMES
from rag_core.language.intents import IntentWording

_EN_AUXILIARY = r"(?:am|is|are|was|were|do|does|did|has|have|had|will|would|can|could|should|shall|may|might|must)"
_EN_PREPOSITIONS = (
    "about after against along at before by during for from in into of on over since through till to under until with"
)

_TIME_NAMES = "|".join([*TIMES.months, *TIMES.weekdays])

INTENTS = IntentWording(
    accented=frozenset(),
    openers=f"{_EN_PREPOSITIONS} also and but hello hi or so then".replace(" ", "|"),
    asking="tell me|know|remember|remind me|explain|wonder",
    idioms=(
        r"after all|(?:named|called|model(?:l)?ed|look|looks|looked|looking|take|takes|took|go|goes|went) after",
        r"(?:up|out of)[- ]?to[- ]date|out[- ]of[- ]date|to date|(?:a|blind|dinner|first) date|play ?date",
        r"(?:at the|for the|a|any|one|wait a) moment",
        r"best (?:friend|man|wish|regard|seller|practice)(?:s|es)?|(?:at|my|your|his|her|our|their) best|all the best",
        r"(?:had|i d|better) better|better (?:not|half)|best[- ]selling",
        r"(?:rather|other|no later|no sooner) than",
        r"(?:more|less|fewer) than (?:\d+|one|two|three|half|a)|as (?:well|soon|long|far|much) as",
        (r"between(?= (?:the )?(?:\d|" + _TIME_NAMES + r"|yesterday|today))"),
        r"(?:good|lost|just|worthy|noble|common) cause|(?:within|stands to|listen to|see) reason|in effect|special effects",
        r"(?:road|street|path|way|door|stair|trail|tunnel|bridge)s? (?:that |which )?(?:lead|leads|led) to",
    ),
    phrases={
        "causal": (
            r"why|causes?|caused|causing|reasons?|because of|due to(?! be(?!\w))|owing to|as a result of|how come",
            r"(?:lead|leads|led|leading) to|result(?:s|ed|ing)? in|(?:trigger|provoke)(?:s|ed|d)?|bring about|brought about",
            r"consequences?|effects?|impact (?:of|on)|what impact|what (?:makes|made)(?! up)",
            r"what generate[sd]|what happens (?:if|when)|what would happen if|how (?:do|does|did) .*affect",
        ),
        "temporal": (
            r"when " + _EN_AUXILIARY + r"|before|after|during|date|moment|(?:last|first) time",
            r"(?:what|which) (?:year|month|day|date|time|week|century|decade)s?",
            r"how long (?:ago|did|does|do|has|have|had|will|until|before)|when(?=\W*$)",
        ),
        "comparative": (
            r"differences?|differ|differs|differed|different (?:from|than|to)|compar(?:e|es|ed|ing|ison|isons)",
            r"better|worse|best|worst|versus|vs|between|(?:more|less|fewer) (?:\w+ ){0,3}than|\w{3,}er than|as \w+ as",
        ),
        "factual": (
            r"how (?:many|much|old|tall|far|big|often|high|large|deep|wide|fast|heavy|long|expensive)",
            r"(?:what|where|which) " + _EN_AUXILIARY,
            r"^(?!\W*(?:" + _EN_AUXILIARY + r"|how|why|when) ).*(?:what|which|who|whose|whom|where)(?!\w).*\?\W*$",
        ),
    },
    question_words={
        "temporal": r"when",
        "factual": r"what|who|whom|whose|where|which|what s|who s|where s",
    },
    why=(r"why|how come|(?:causes?|reasons?) (?:of|for|behind)",),
    effects=(
        r"consequences?|effects?|impact|what happens (?:if|when)|what would happen if|how (?:do|does|did) .*affect",
        (
            r"what (?:do|does|did|will|would|can|could|has|have|had|is|are|was|were) (?:\w+ ){1,8}?"
            r"(?:cause|caused|causing|trigger|triggered|provoke|provoked|(?:lead|led) to|(?:result"
            r"|resulted) in|(?:bring|brought) about)"
        ),
        r"^\W*(?:what|which) .*(?:because of|due to|owing to|as a result of)",
        r"^\W*(?:because of|due to|owing to|as a result of) (?!what|which).*(?:what|which)",
    ),
)
