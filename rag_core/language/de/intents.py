"""German: phrases that tell the intent of a question."""

from rag_core.language.de.times import MONTHS, WEEKDAYS
from rag_core.language.folding import fold
from rag_core.language.intents import IntentWording

_DE_PREPOSITIONS = (
    "ab an auf aus bei bis durch fur gegen hinter in mit nach neben ohne seit uber um unter von vor wahrend zu zum zur"
)
_DE_MORE = (
    r"(?:mehr|weniger|(?:gross|klein|hoh|niedrig|lang|kurz|schnell|langsam|gunstig|billig|alt|jung|stark|schwach|lieb|oft"
    r"|haufig|selten|schwer|leicht|warm|kalt)er|teurer)"
)

_TIME_NAMES = "|".join(fold(name).text for name in (*MONTHS, *WEEKDAYS))

INTENTS = IntentWording(
    accented=frozenset(),
    openers=f"{_DE_PREPOSITIONS} also dann hallo oder und aber".replace(" ", "|"),
    asking="weisst du|sag mir|sage mir|wissen|erklar mir|erklare mir|frage mich|erinnerst du dich",
    idioms=(
        r"am besten|besten dank|beste[nrs]? freund(?:e|en|in|innen)?|beste grusse|mein bestes",
        r"(?:im|einen|jeden|den) moment|moment mal|dann und wann",
        r"(?:am|im|zu|von|auf dem|meeres|auf den) grunde?|grund und boden|von grund auf",
        r"(?:viele|letzten|ersten|neuen|neue|alle|beiden|zwei|drei|\d+|diese|nachste[n]?) folgen",
        r"(?:weg|strasse|pfad|bahn|treppe|linie|tur|bus|tunnel|brucke) (?:\w+ ){0,2}fuhr(?:t|te|ten|en)",
        (r"zwischen(?= (?:dem |den |der )?(?:\d|" + _TIME_NAMES + r"|gestern|heute))"),
    ),
    phrases={
        "causal": (
            r"warum|weshalb|wieso|weswegen|wegen|aufgrund|auf grund|infolge|wodurch",
            r"grund|grunde|hauptgrund|ursachen?|ausloser|woran (?:lieg|lag)\w*|wie (?:kommt|kam) es",
            r"verursach(?:t|te|ten|en)|los(?:t|te|ten|en) (?:\w+ ){1,6}aus|ausgelost|(?:ruft|rief) (?:\w+ ){1,6}hervor",
            r"fuhr(?:t|te|ten|en) (?:\w+ ){0,4}?zu[mr]?|wozu (?:\w+ ){0,4}?fuhr(?:t|te|ten|en)|zu was fuhr(?:t|te|ten|en)",
            r"folgen? (?:von|vom|des|hat|hatte|haben|hatten|fur|sind|waren)|welche folgen?|die folgen|zur folge",
            r"auswirkung(?:en)?|konsequenz(?:en)?|effekte?|bewirk(?:t|te|en|ten)|(?:wirkt|wirkte|wirken) sich",
            r"was (?:passiert|geschieht) wenn|was (?:passiert|geschieht), wenn|wie beeinfluss(?:t|te|en|ten)",
        ),
        "temporal": (
            r"wann|vorher|nachher|bevor|nachdem|davor|danach|zuvor|wahrend|datum|zeitpunkt|moment",
            r"um wie ?viel uhr|welche[mnrs]? (?:jahr|monat|tag|woche|datum|uhrzeit|jahrhundert|jahrzehnt)",
            r"wie (?:lange|spat)|wie viel zeit|(?:letzte|erste)[nrs]? mal",
        ),
        "comparative": (
            r"unterschied(?:e|en|s|es)?|unterscheide(?:t|n)|vergleich(?:e|en|t|bar)?|verglichen|im gegensatz zu[mr]?",
            r"besser(?:e|en|er|es|em)?|schlechter(?:e|en|er|es|em)?|beste[nrsm]?|schlechteste[nrsm]?|versus|vs|zwischen",
            _DE_MORE + r" (?:\w+ ){0,4}als|(?:genauso|ebenso) \w+ wie",
        ),
        "factual": (
            r"wie (?:viele?|viel|heisst|heissen|hiess|hiessen|alt|gross|hoch|weit|breit|tief|schwer|oft|teuer)|wieviele?",
            r"^(?!\W*(?:wie|warum|wann) ).*(?<!, )welche[mnrs]? .*\?\W*$",
        ),
    },
    question_words={
        "factual": r"was|wer|wen|wem|wessen|wo|woher|wohin|welche[mnrs]?|wofur|womit|woran|worin|worauf|woruber|wozu|wovon",
    },
    why=(
        r"warum|weshalb|wieso|weswegen|woran (?:lieg|lag)\w*|wie (?:kommt|kam) es|(?:grund|grunde|ursachen?) (?:fur|von|des|der)",
    ),
    effects=(
        r"folgen?|auswirkung(?:en)?|konsequenz(?:en)?|effekte?|(?:wirkt|wirkte|wirken) sich|wie beeinfluss\w+",
        r"was (?:passiert|geschieht),? wenn|wozu (?:\w+ ){0,4}?fuhr\w+|zu was fuhr\w+",
        r"was (?:verursachen|verursachten|losen|losten|bewirk\w+)",
        r"^\W*(?:was|welche\w*) .*(?:wegen|aufgrund|infolge)|^\W*(?:wegen|aufgrund|infolge) (?!was|wessen).*(?:was|welche\w*)",
    ),
)
