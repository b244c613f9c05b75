"""Spanish: phrases that tell the intent of a question."""

from rag_core.language.es.times import TIMES
from rag_core.language.intents import IntentWording
from rag_core.language.words import word_set

_ES_CLITIC = r"(?:(?:me|te|se|le|nos|os|les|lo|la|los|las) ){0,2}"
_ES_WHAT = r"(?:qué|^\W*que)"
_ES_CAUSED_PLURAL = (
    r"(?:(?:caus|provoc|gener|ocasion|origin|desencaden)(?:an|aron|aban|aran|arian)|produc(?:en|ian)|produjeron)"
)
_ES_CAUSES_SINGULAR = r"(?:causa|provoca|genera|ocasiona|origina|desencadena|produce)"
_ES_NOUNS_LIKE_INFINITIVES = (
    r"(?:malestar|bienestar|placer|poder|cancer|azucar|lugar|mujer|alzheimer|hogar|mar|taller|ayer|deber|souvenir)"
)

_TIME_NAMES = "|".join([*TIMES.months, *TIMES.weekdays])

INTENTS = IntentWording(
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
        (r"entre(?= (?:(?:el|la|las|los) )?(?:\d|" + _TIME_NAMES + r"|hoy|ayer))"),
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
