"""How a question shows what it is after, in each language, as regular expressions over whole words.

They are matched against ``folding.fold_words``: lower case, no accents but those of ``accented``, single spaces.
Here: words and phrases only; ``rag_core.query.analysis`` says in which order they count.

The Spanish table holds every keyword of the original requirements. "efectos", "motivo", "qué año" and their like
were added, and the forms of a verb instead of one of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from rag_core.language.words import word_set
from rag_core.model.note import Language
from rag_core.model.retrieval import Intent


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentWording:
    """What one language asks with.

    ``phrases`` count wherever they stand; ``question_words`` only where a question begins: at the start of the query
    or after ¿, behind any of ``openers``, or behind ``asking`` ("dime cuándo"). ``idioms`` merely look like a phrase
    and are taken out first. ``why`` asks for causes whatever else is said; ``effects`` asks for effects.
    """

    accented: frozenset[str]
    openers: str
    asking: str
    idioms: tuple[str, ...]
    phrases: Mapping[Intent, tuple[str, ...]]
    question_words: Mapping[Intent, str]
    why: tuple[str, ...]
    effects: tuple[str, ...]


_ES_CLITIC = r"(?:(?:me|te|se|le|nos|os|les|lo|la|los|las) ){0,2}"
_ES_WHAT = r"(?:qué|^\W*que)"
_ES_CAUSED_PLURAL = (
    r"(?:(?:caus|provoc|gener|ocasion|origin|desencaden)(?:an|aron|aban|aran|arian)|produc(?:en|ian)|produjeron)"
)
_ES_CAUSES_SINGULAR = r"(?:causa|provoca|genera|ocasiona|origina|desencadena|produce)"
_ES_NOUNS_LIKE_INFINITIVES = (
    r"(?:malestar|bienestar|placer|poder|cancer|azucar|lugar|mujer|alzheimer|hogar|mar|taller|ayer|deber|souvenir)"
)

_SPANISH = IntentWording(
    accented=word_set(
        """
        qué quién quiénes dónde adónde cuál cuáles cuándo cuánto cuánta cuántos cuántas cómo porqué porqués
        generó llevó
        """
    ),
    openers="a con de desde e en entonces hacia hasta hola o oye para pero por pues segun sobre y".replace(" ", "|"),
    asking="dime|decidme|digame|sabes|saber|recuerdas|recuerdame|explica|explicame|cuentame|pregunto",
    idioms=(
        r"¡ ?(?:qué|cuánt[oa]s?|cómo)",
        r"a lo mejor|mejor dicho|mejor(?:es)? amig[oa]s?",
        r"cuanto antes|lo antes posible|antes que nada|después de todo|despues de todo",
        r"(?:de|por el|al) momento|en este momento|en todo momento|hasta la fecha",
        r"entre (?:semana|otr[oa]s|tanto|comillas)",
        r"se origin(?:a|an|o|aron|aba|aban)",
        (
            r"entre(?= (?:(?:el|la|las|los) )?(?:\d|enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre"
            r"|noviembre|diciembre|lunes|martes|miercoles|jueves|viernes|sabado|domingo|hoy|ayer))"
        ),
        (
            r"(?:tener|ten(?:go|emos|ia|ian)|tienes?|tienen|tuv[eo]|llevo|lleva|dar|darle|di|dio|doy|da|dan) "
            r"(?:toda )?(?:la )?razon"
        ),
        r"con razon|con toda la razon|razon social|perder la razon|uso de razon",
        r"causas? (?:benefica|judicial|comun|perdida|penal)s?",
        r"en efecto|a efectos de|efectos? (?:especial|personal)(?:es)?|efectos? invernadero",
        r"(?:nada|lo) mas|nada menos|mas que (?:nunca|nada|suficiente)",
        r"(?:desde|hasta) que",
    ),
    phrases={
        "causal": (
            r"por qué|porqué|porqués|razon(?:es)?|debid[oa]s? al?|a raiz del?|causas?|origen de que",
            r"caus(?:an|o|aron|aba|aban|ado|ada|ados|adas|ar|e|en|ante|antes)",
            r"provoc(?:a|an|o|aron|aba|aban|ado|ada|ados|adas|ar|e|en)",
            r"gener(?:a|an|aron|aba|aban)|generó",
            r"(?:desencaden|origin|ocasion)(?:a|an|o|aron|aba|aban)",
            r"(?:qué|que) " + _ES_CLITIC + r"produ(?:ce|cen|jo|jeron)",
            r"a (?:qué|que) se deb(?:e|en|io|ieron|ia|ian)|se deb(?:e|en|io|ieron|ia|ian) al?",
            r"motivos?|motivaron|consecuencias?|efectos?|repercusi(?:on|ones)",
            r"(?:qué|que) " + _ES_CLITIC + r"(?:hizo|hace|hacia|hicieron) que",
            r"(?:qué|que) " + _ES_CLITIC + r"(?:llevó|empujo|impulso|condujo) al?",
            r"(?:de qué|de que|de dónde|de donde) " + _ES_CLITIC + r"(?:viene|vienen|venia|venian)",
            r"(?:cómo|como) es que|(?:cómo|como) " + _ES_CLITIC + r"(?:afect(?:a|an|o|aron)|influy(?:e|en|o|eron))",
            r"(?:qué|que) (?:\w+ )?impacto|(?:qué|que) " + _ES_CLITIC + r"(?:pasa|ocurre|sucede) (?:si|cuando)",
            r"(?:qué|que) (?:pasaria|ocurriria|sucederia) si",
            r"a (?:qué|que) " + _ES_CLITIC + r"(?:lleva|llevó|conduce|condujo)",
        ),
        "temporal": (
            r"cuándo|antes|despues|durante|fechas?|momento",
            r"(?:qué|que) (?:ano|anos|mes|meses|dia|dias|semana|hora|epoca|decada|siglo)",
            r"(?:cuánto|cuanto) (?:tiempo|tard(?:a|an|o|e|aron|amos)|dur(?:a|an|o|aron)|falta)",
            r"hace (?:cuánto|cuanto)s?|(?:ultima|primera) vez",
        ),
        "comparative": (
            r"diferencias?|diferencian?|en (?:qué|que) se distinguen?",
            r"compar(?:ar|a|an|o|ado|ada|ados|adas|acion|aciones|ando)|mejor(?:es)?|peor(?:es)?|versus|vs|entre",
            r"(?:mas|menos) (?:\w+ ){0,3}que (?:el|la|los|las|lo|un|una|en|con|mi|tu|su|yo|al|del?|otr\w+|est\w+|es[aeo]s?)",
            r"tant[oa]s? (?:\w+ ){0,3}como|tan \w+ como|distint[oa]s? (?:al?|del?)|diferentes? al?",
        ),
        "factual": (
            r"qué|quién|quiénes|dónde|adónde|cuál|cuáles|cuánto|cuánta|cuántos|cuántas",
            r"(?:cómo|como) " + _ES_CLITIC + r"(?:llam|titul|apellid|denomin|conoc)\w+",
        ),
    },
    question_words={
        "causal": r"por que|porque",
        "temporal": r"cuando",
        "factual": r"que|quien|quienes|donde|adonde|cual|cuales|cuanto|cuanta|cuantos|cuantas",
    },
    why=(
        r"por qué|porqué|porqués|a (?:qué|que) se deb\w+|(?:debid[oa]s?|a causa|a raiz) (?:a|de) (?:qué|que)",
        r"de (?:qué|que) (?:es|son|fue|fueron) (?:\w+ )?(?:consecuencia|efecto)s?",
        r"(?:causas?|razon(?:es)?|motivos?) de|origen de que",
    ),
    effects=(
        r"consecuencias?|efectos?|repercusi(?:on|ones)|impacto",
        r"(?:cómo|como) " + _ES_CLITIC + r"(?:afect|influy)\w+",
        r"(?:qué|que) " + _ES_CLITIC + r"(?:pasa|ocurre|sucede|pasaria|ocurriria|sucederia) (?:si|cuando)",
        r"a (?:qué|que) " + _ES_CLITIC + r"(?:lleva|llevó|conduce|condujo)",
        _ES_WHAT + " " + _ES_CLITIC + _ES_CAUSED_PLURAL,
        _ES_WHAT
        + " "
        + _ES_CLITIC
        + _ES_CAUSES_SINGULAR
        + r" (?:el |no )?(?!"
        + _ES_NOUNS_LIKE_INFINITIVES
        + r"(?!\w))\w+(?:ar|er|ir)(?:me|se|te|nos)?",
        r"^\W*(?:qué|que|cuál|cuáles) .*(?:debid[oa]s? al?|a causa del?|a raiz del?)",
        r"^\W*(?:debido al?|a causa del?|a raiz del?) (?!qué|que).*(?:qué|cuál|cómo)",
    ),
)

_DE_PREPOSITIONS = (
    "ab an auf aus bei bis durch fur gegen hinter in mit nach neben ohne seit uber um unter von vor wahrend zu zum zur"
)
_DE_MORE = (
    r"(?:mehr|weniger|(?:gross|klein|hoh|niedrig|lang|kurz|schnell|langsam|gunstig|billig|alt|jung|stark|schwach|lieb|oft"
    r"|haufig|selten|schwer|leicht|warm|kalt)er|teurer)"
)

_GERMAN = IntentWording(
    accented=frozenset(),
    openers=f"{_DE_PREPOSITIONS} also dann hallo oder und aber".replace(" ", "|"),
    asking="weisst du|sag mir|sage mir|wissen|erklar mir|erklare mir|frage mich|erinnerst du dich",
    idioms=(
        r"am besten|besten dank|beste[nrs]? freund(?:e|en|in|innen)?|beste grusse|mein bestes",
        r"(?:im|einen|jeden|den) moment|moment mal|dann und wann",
        r"(?:am|im|zu|von|auf dem|meeres|auf den) grunde?|grund und boden|von grund auf",
        r"(?:viele|letzten|ersten|neuen|neue|alle|beiden|zwei|drei|\d+|diese|nachste[n]?) folgen",
        r"(?:weg|strasse|pfad|bahn|treppe|linie|tur|bus|tunnel|brucke) (?:\w+ ){0,2}fuhr(?:t|te|ten|en)",
        (
            r"zwischen(?= (?:dem |den |der )?(?:\d|januar|februar|marz|april|mai|juni|juli|august|september|oktober|november"
            r"|dezember|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|gestern|heute))"
        ),
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

_EN_AUXILIARY = r"(?:am|is|are|was|were|do|does|did|has|have|had|will|would|can|could|should|shall|may|might|must)"
_EN_PREPOSITIONS = (
    "about after against along at before by during for from in into of on over since through till to under until with"
)

_ENGLISH = IntentWording(
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
        (
            r"between(?= (?:the )?(?:\d|january|february|march|april|may|june|july|august|september|october|november|december"
            r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|yesterday|today))"
        ),
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

INTENT_WORDINGS: Mapping[Language, IntentWording] = {"es": _SPANISH, "de": _GERMAN, "en": _ENGLISH}
