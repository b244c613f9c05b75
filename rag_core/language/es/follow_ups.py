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
    going_to="a",
    saying_nothing=word_set("conmigo contigo exactamente además"),
    weather=word_set("llovió nevó llueve nieva llovido nevado"),
    noun_stand_in=re.compile(r"(?:el|la|los|las) (?=(?:a|de|del|al|en|con|para) )", re.IGNORECASE),
    most_nouns=2,
    past_verb=re.compile(_PAST, re.IGNORECASE),
    dative=re.compile(r"les?\b", re.IGNORECASE),
)
