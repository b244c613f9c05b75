"""Spanish: follow-up questions."""

import re

from rag_core.language.follow_ups import FollowUpWords
from rag_core.language.words import any_of, word_set

# "This week" is a time of its own; "this trip" is one that was spoken of. A word may stand between: "these three months".
_NOW_ES = (
    r"(?: \w+)? (?:años?|mes(?:es)?|semanas?|mañana|tarde|noche|días|verano|invierno|otoño|primavera|fin(?:es)? de semana|"
    r"trimestre|semestre|curso|temporada|vez|lunes|martes|miércoles|jueves|viernes|sábado|domingo|últim[oa]s?)\b"
)
_PAST = (
    r"(?:\w{2,}[éíó]|\w{3,}(?:amos|ábamos|aron|ieron|aba[ns]?)|h[ei]ce|hizo|hicimos|hicieron|vi|vio|vimos|vieron|di|dio|dimos|"
    r"dieron|(?:dij|traj)(?:e|o|imos|eron)|(?:pus|tuv|quis|sup|vin)(?:e|o|imos|ieron)|"
    r"(?:he|ha|hemos|han|había|habíamos|habían)\s\w+(?:ado|ido|cho|sto|rto))"
)
"""A verb that tells what was done: "la compré" is one with its object, "la compra" a noun with its article."""

_DOING_SOMETHING = word_set(
    """
    tiene tenía tuvo lleva llevaba arregla arregló vende vendía vendió estudia estudió habla conoce cumple cumplió enseña
    """
)

FOLLOW_UPS = FollowUpWords(
    opening=re.compile(
        r"[¿¡\s]*(?:(?:(?:y|e|o|pero|ahora|entonces|también|y si)\b[\s,:¿]*)+(?:qué (?:tal|hay de)\b\s*)?|qué hay de\b\s*)",
        re.IGNORECASE,
    ),
    pointing=any_of(
        r"él|ellas?|ellos|ése|ésa|éste|ésta|aquél|allí|allá|ahí",
        r"(?<!\bpor )(?:eso|esto|aquello)",
        r"les?(?= \w)",
        rf"l[oa]s?(?= {_PAST}\b)",
        r"(?!charla|perla|burla)\w{2,}[aeiáéí]r(?:lo|la|le)s?|(?:ver|dar|ir)(?:lo|la|le)s?",
        r"(?:lo mismo|la misma|el mismo)(?! \w+ (?:de )?que)",
        r"(?:es[ea]|esos|esas|aquel|aquella|aquellos|aquellas)(?= \w)",
        # "Esta" behind "cómo" or before an article is "está" without its accent.
        rf"(?<!cómo )(?<!como )(?<!dónde )(?<!donde )(?:est[ea]|estos|estas)(?!{_NOW_ES})"
        r"(?! (?:en|el|la|los|las|mi|mis|de|del)\b)(?= \w)",
    ),
    referring=any_of(r"sus?|suy[oa]s?"),
    clause_opening=re.compile(r"[,;:]|\b(?:y|e|o|pero|que|cuando|si|porque|mientras)\b", re.IGNORECASE),
    asking_words=word_set(
        "qué quién quiénes cuándo dónde cómo cuánto cuánta cuántos cuántas cuál cuáles que quien cuando donde como cuanto"
    ),
    asking_for_a_noun=word_set("qué cuánto cuánta cuántos cuántas que cuanto cuantos cuanta cuantas"),
    verbs_first=word_set(
        """
        fue es era eran hay había he ha hemos han tengo tiene tenía tenemos está están estuvo estuve son dijo hizo puedo debo fui sabe
        sabes
        """
    ),
    before_a_verb=word_set("me te se nos le les no he ha hemos han había habían"),
    motion=word_set(
        """
        fui fue fuimos fueron iba íbamos voy va vamos ir viajé viajó viajamos viajar viaje viajes llegué llegó llegamos llegar volví
        volvió volvimos volver vuelta vuelo vuelos tren escapada excursión visita ida mudé mudó mudamos mudanza
        """
    ),
    going_to="a",
    staying_in=frozenset({"en"}),
    complements=frozenset({"de", "a"}),
    saying_nothing=word_set("conmigo contigo exactamente además"),
    weather=word_set("llovió nevó llueve nieva llovido nevado"),
    noun_stand_in=re.compile(r"(?:el|la|los|las) (?=(?:a|de|del|al|en|con|para) )", re.IGNORECASE),
    most_nouns=2,
    past_verb=re.compile(_PAST, re.IGNORECASE),
    infinitive=re.compile(r"(?:\w{2,}[aeií]|da|se|ve|i)r(?:me|te|se|nos|l[aeo]s?)?"),
    doing_something=_DOING_SOMETHING,
    verbs_of_people=_DOING_SOMETHING
    | word_set(
        """
        cobra cobró cobraba vive vivía vivió trabaja trabajó trabajaba nació sabe viene vino piensa opina opinó cree conduce
        dijo contó pidió regaló prometió recomendó explicó preguntó contestó respondió propuso
        """
    ),
    kin=word_set("mamá papá abuela abuelo mami papi yaya yayo"),
    somebody=word_set("alguien nadie alguno alguna ninguno ninguna uno una usted ustedes"),
    name_openings=word_set("san santa santo gran nueva"),
    asking_for_somebody=word_set("quién quiénes quien"),
    asking_for_something=word_set("qué que"),
    impersonal="se",
    dative=re.compile(r"les?\b", re.IGNORECASE),
)
