"""How the three languages say that one thing led to another: cues, and the words around them, as data.

A cue is a pattern with the order of its two sides. Patterns are matched without regard to case, as whole words, and
know only what may stand between a cue's own words; what a side is, where it ends and what weakens it is for
``rag_core.graph.rules``. Confidence is how often the reading was right when extractions were read by a person.
"""

from dataclasses import dataclass
from typing import Literal

from rag_core.language.words import word_set
from rag_core.model import Language

CueOrder = Literal["cause_verb", "effect_verb", "cause_first", "effect_first", "fronted_cause", "framed"]
"""Which side a cue's cause stands on.

``cause_verb`` and ``effect_verb`` are verbs between two noun phrases ("X provoca Y", "Y se debe a X"), ``cause_first``
and ``effect_first`` connectors between clauses ("X, así que Y", "Y porque X"), ``fronted_cause`` opens its sentence
("Como X, Y"); ``framed`` stands around its sides, which are groups of the pattern named cause and effect.
"""
CueKind = Literal["CAUSES", "TRIGGERS", "LEADS_TO"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalCue:
    """A way to say it.

    ``takes_clause`` where the effect is a clause, which may hold a relative one; ``can_open`` where the connector may open
    a sentence with its cause ("Debido a X, Y") and does not answer the sentence before ("Porque X."). ``needs`` is what
    a sentence must hold for the pattern to be tried: one that begins with a side is tried at every character.
    """

    pattern: str
    order: CueOrder
    kind: CueKind = "CAUSES"
    confidence: float
    takes_clause: bool = False
    can_open: bool = True
    needs: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalLanguage:
    """A language's cues, and patterns of what stands around them.

    ``negation`` right before a cue denies it, ``conditional`` opens a sentence that supposes, ``hedge`` weakens; ``nothing``
    opens a side that is nothing or nobody, ``reflexive`` before a verb leaves it without a cause; ``pronoun`` is a side that
    only points back, ``anaphor`` opens one; ``antecedent`` begins the noun phrase that a relative pronoun stands for,
    ``main_clause`` the clause after a fronted noun phrase without a comma; ``opening`` and ``closing`` are
    trimmed off a side's ends; ``relative`` and ``adjunct`` begin what belongs to the words before it, ``joining`` are words
    for "and", ``subordinator`` ends a noun phrase, ``reporting`` begins one; ``polarity`` are words that turn a phrase into
    its opposite, ``circumstance`` words that say when or how much, not what; ``asking``
    are words of a causal question that are not what it asks about.
    """

    cues: tuple[CausalCue, ...]
    negation: str
    conditional: str
    hedge: str
    nothing: str
    reflexive: str
    pronoun: str
    anaphor: str
    antecedent: str
    main_clause: str
    opening: str
    closing: str
    relative: str
    joining: str
    adjunct: str
    subordinator: str
    reporting: str
    polarity: frozenset[str]
    circumstance: frozenset[str]
    asking: frozenset[str]


def _third_person_ar(stem: str) -> str:
    """A regular Spanish verb in -ar where it speaks of one thing or several, its gerund and its compound tenses."""
    simple = rf"{stem}(?:a|an|ó|aron|aba|aban|ará|arán|ando)"
    return rf"(?:{simple}|(?:ha|han|había|habían) {stem}ado)"


def _spanish_verb(simple: str, participle: str) -> str:
    return rf"(?:{simple}|(?:ha|han|había|habían) {participle})"


_ES_CAUSA = (
    "".join(
        f"(?<!\\b{word} )"
        for word in ("la", "una", "sin", "esa", "esta", "su", "por", "otra", "primera", "mi", "a", "de", "y")
    )
    + r"(?<![\n#])causa(?=\s(?:el|la|los|las|un|una|unos|unas|más|menos|mucho|mucha|muchos|muchas|este|esta|"
    r"mis?|tus?|sus?|nuestr[oa]s?|dolor|insomnio|ansiedad|fiebre|sueño|cansancio|tos|malestar|miedo|alergia|fatiga|(?!de\b)\w+s)\b)"
)
"""The verb; the noun stands behind an article and before "de"."""
_ES_PROVOKE = "|".join(
    [
        _third_person_ar("provoc"),
        _third_person_ar("ocasion"),
        _third_person_ar("origin"),
        _spanish_verb(rf"{_ES_CAUSA}|causan|causó|causaron|causaba|causaban|causará|causarán|causando", "causado"),
    ]
)
_ES_PRODUCE = "|".join(
    [
        _spanish_verb(
            r"produce|producen|produjo|produjeron|producía|producían|producirá|producirán|produciendo", "producido"
        ),
        _third_person_ar("gener"),
    ]
)
_ES_PARTICIPLES = "(?:provocad|causad|ocasionad|originad|producid|desencadenad|motivad)(?:o|a|os|as)"
_ES_INFINITIVES = "provocar|causar|ocasionar|originar|desencadenar"

SPANISH = CausalLanguage(
    cues=(
        CausalCue(
            pattern=r"(?:la (?:causa|culpa)|el (?:motivo|origen)|la razón) (?:de(?: que)?|por (?:la|el) que)\s+"
            r"(?P<effect>[^,;:.?!]{3,120}?)\s+(?:es|era|fue|ha sido|está en|estaba en)(?: que)?\s+(?P<cause>[^,;:.?!]{3,160})",
            order="framed",
            confidence=0.8,
        ),
        CausalCue(pattern=_ES_PROVOKE, order="cause_verb", confidence=0.9),
        CausalCue(pattern=_ES_PRODUCE, order="cause_verb", confidence=0.6),
        CausalCue(pattern=_third_person_ar("desencaden"), order="cause_verb", kind="TRIGGERS", confidence=0.9),
        CausalCue(pattern=r"dispar(?:a|an|ó|aron|aba|aban|ando)", order="cause_verb", kind="TRIGGERS", confidence=0.6),
        CausalCue(
            pattern=rf"(?:puede|pueden|podía|podían|podría|podrían|suele|suelen|solía) (?:{_ES_INFINITIVES})",
            order="cause_verb",
            confidence=0.5,
        ),
        CausalCue(
            pattern=r"(?:hace|hacen|hizo|hicieron|hacía|hacían|ha hecho|había hecho|haciendo) que",
            order="cause_verb",
            confidence=0.8,
            takes_clause=True,
        ),
        CausalCue(
            pattern=r"(?:da|dan|dio|dieron|daba|daban|ha dado|dando) lugar a(?:l)?|(?:trae|trajo|traía|trajeron) consigo|"
            r"(?:es|fue|era|ha sido) la causa de(?:l)?",
            order="cause_verb",
            kind="LEADS_TO",
            confidence=0.8,
        ),
        CausalCue(
            pattern=r"(?:lleva|llevan|llevó|llevaron|llevaba|ha llevado) a(?: que|(?=\s(?!(?:"
            r"ver|comer|cenar|conocer|visitar|pasear|bailar|desayunar|casa)\b)"
            r"\w+(?:ar|er|ir)(?:me|se|nos|le|les|lo|la)?\b))",
            order="cause_verb",
            kind="LEADS_TO",
            confidence=0.7,
            takes_clause=True,
        ),
        CausalCue(
            pattern=r"(?:conduce|conducen|condujo|condujeron|conducía) a(?:l)?(?! casa\b)",
            order="cause_verb",
            kind="LEADS_TO",
            confidence=0.6,
        ),
        CausalCue(
            pattern=r"(?:acaba|acaban|acabó|acabaron|termina|terminan|terminó|terminaron|desembocó|desembocaron) en"
            r"(?=\s(?:una? )?(?:bronca|discusión|pelea|desastre|fracaso|tragedia|urgencias|hospital|lágrimas|llanto|"
            r"despido|divorcio|ruptura|caos|incendio|inundación|crisis|accidente|conflicto|guerra|muerte)\b)",
            order="cause_verb",
            kind="LEADS_TO",
            confidence=0.6,
        ),
        CausalCue(
            pattern=r"(?:da|dan|dio|dieron|daba|daban|ha dado)(?=\s(?:una? |mucho |mucha |tanto |tanta )?(?:miedo|sueño|migrañas?|"
            r"jaquecas?|dolor|hambre|ansiedad|insomnio|alergia|fiebre|tos|náuseas|vergüenza|pena|rabia|alegría|acidez)\b"
            r"(?! (?:que|cuando|de que)\b))",
            order="cause_verb",
            confidence=0.7,
        ),
        CausalCue(
            pattern=rf"(?:(?:es|son|fue|fueron|era|eran|está|estaba|estuvo|ha sido|han sido|había sido) )?{_ES_PARTICIPLES}"
            r" por(?! (?:la (?:mañana|tarde|noche)|fin|ahora|tanto)\b)",
            order="effect_verb",
            confidence=0.85,
        ),
        CausalCue(
            pattern=r"se (?:debe|deben|debió|debieron|debía|debían|ha debido) a(?:l| que)?|"
            r"(?:viene|vienen|vino|venía|venían) de que|"
            r"(?:es|fue|era|son|fueron) (?:consecuencia|resultado|fruto|culpa) de(?:l| que)?",
            order="effect_verb",
            confidence=0.85,
        ),
        CausalCue(
            pattern=r"debido a(?:l| que)?|a causa de(?:l| que)?|por culpa de(?:l| que)?|a raíz de(?:l| que)?|"
            r"a consecuencia de(?:l| que)?|como consecuencia de(?:l| que)?",
            order="effect_first",
            confidence=0.85,
        ),
        CausalCue(pattern=r"porque", order="effect_first", confidence=0.85, can_open=False),
        CausalCue(pattern=r"ya que|puesto que|dado que|en vista de que", order="effect_first", confidence=0.8),
        CausalCue(pattern=r"(?<!las )gracias a(?:l| que)", order="effect_first", confidence=0.75),
        CausalCue(
            pattern=r"(?<!las )gracias a(?! (?:dios|ti|vosotros|usted|ustedes|todos)\b)",
            order="effect_first",
            confidence=0.7,
        ),
        CausalCue(
            pattern=r"por(?=\s(?:no )?(?:haber(?:me|se|le|lo|la|nos)?|(?:estar|dejar|olvidar)(?:me|se|nos|le|lo|la)?)\b)|"
            r"por(?=\s(?:la )?falta de\b|\s(?:un )?exceso de\b|\smiedo a\b)",
            order="effect_first",
            confidence=0.75,
        ),
        CausalCue(
            pattern=r"(?:y )?por eso|(?:y )?por ello|(?:y )?por esta razón|(?:y )?por este motivo|(?:y )?por ese motivo|de ahí que",
            order="cause_first",
            confidence=0.75,
            takes_clause=True,
        ),
        CausalCue(
            pattern=r"por lo que(?! (?:veo|sé|parece|dice|dicen|dijo|cuenta|entendí|respecta|he visto|se ve)\b)|"
            r"por lo tanto|por consiguiente|en consecuencia|por tanto|de modo que|de manera que|de forma que",
            order="cause_first",
            confidence=0.65,
            takes_clause=True,
        ),
        CausalCue(pattern=r"así que|conque", order="cause_first", confidence=0.6, takes_clause=True),
        CausalCue(
            pattern=r"tan(?:t[oa]s?)? [^,;:.]{0,30}?(?P<cause>[^,;:.]{2,60}) que "
            r"(?P<effect>(?:no |me |se |nos |tuv|hub|acab)[^,;:.]{3,100})",
            order="framed",
            kind="LEADS_TO",
            confidence=0.4,
        ),
        CausalCue(
            pattern=r"como(?! (?:siempre|casi siempre|cada|si|digo|decía|ejemplo|mucho|poco|mínimo|máximo|resultado|"
            r"consecuencia|antes|todos|todas|en|el que|la que|los que|dicen|dice|"
            r"antecedente|complicación|hallazgo|tratamiento|diagnóstico|prueba|"
            r"método|alternativa|conclusión|curiosidad|premio|regalo)\b)(?!\s(?!(?:los|las|nos|mis|tus|sus|es|\w+mos)\b)\w+s\b)",
            order="fronted_cause",
            confidence=0.65,
        ),
        CausalCue(pattern=r"cada vez que|siempre que", order="fronted_cause", kind="TRIGGERS", confidence=0.5),
    ),
    negation=r"\b(?:no|nunca|jamás|ni|sin|tampoco)(?:\s+(?:me|te|le|lo|la|nos|os|les|los|las|se|es|fue|era|sólo|solo))*",
    conditional=r"^\W*(?:y |pero )?(?:si|ojalá|aunque)\b",
    hedge=r"\b(?:quizás?|tal vez|a lo mejor|puede que|igual es|supongo|creo|sospecho|parece|posiblemente|probablemente)\b",
    nothing=r"(?:nada|nadie|ning[uú]na?|ninguno)",
    reflexive=r"\bse\s*$",
    anaphor=r"(?:todo )?(?:lo anterior|lo cual|lo mismo|ello|esto|eso|aquello)\b",
    antecedent=r"(?<!\bde )(?<!\ben )(?<!\bcon )(?<!\bpor )(?<!\bsobre )\b(?:el|la|los|las|un|una|unos|unas|al|aquell[oa]s)\b",
    main_clause=r"\bse\b",
    pronoun=r"(?:(?:todo |y )?(?:eso|esto|ello|aquello)|lo cual|lo que|cosa que|hecho que)",
    opening=r"(?:y|e|o|ni|pero|mas|sino|aunque|entonces|luego|además|también|encima|total|bueno|pues|vaya|claro|al final|"
    r"por fin|al día siguiente|esta (?:mañana|tarde|noche|semana)|hoy|ayer|anoche|anteayer|ya|solo|sólo|casi|muy|"
    r"seguramente|que|el hecho de(?: que)?|el|la|los|las|lo|un|una|unos|unas|al|del|este|esta|estos|estas|ese|"
    r"esa|esos|esas|aquel|aquella|mi|mis|tu|tus|su|sus|nuestro|nuestra|nuestros|nuestras|quizás?|tal vez|a lo mejor|"
    r"creo que|supongo que|parece que|sospecho que|dice que|dijo que|es|era|fue|ha sido|tan|es que|lo que pasa es que)",
    closing=r"(?:y|e|o|ni|pero|que|se|me|te|le|les|nos|lo|la|el|los|las|de|del|a|al|en|con|por|para|es|son|era|fue|"
    r"ha|han|había|habían|está|está bien|entonces|además|también|ayer|hoy|anoche|luego|sobre todo|precisamente|justo|"
    r"simplemente|probablemente|posiblemente|quizás?|tal vez|solo|sólo|y todo|en parte|además)",
    relative=r"(?:que|lo que|lo cual|la cual|el cual|los cuales|las cuales|cosa que|hecho que|donde|cuando|quien)",
    joining=r"(?:y|e|o|u|ni|pero)",
    adjunct=r"(?:por|en|a|al|con|de|del|desde|hasta|sin|sobre|tras|entre|durante|para|ante|bajo)",
    subordinator=r"(?:que|cuando|mientras|aunque|pero|para|donde|como|si|porque|después de|antes de|hasta)",
    reporting=r"(?:creo|cree|creen|dice|dicen|dije|dijo|dijeron|dicho|diciendo|parece|supongo|sé|sabe|sabía|digo|resulta|explicó|explica|contó|"
    r"cuenta|pienso|piensa|veo|vi|confirma|confirmó|sospecho|es que|demuestra|demostró) que",
    polarity=word_set("no nunca jamás sin ni tampoco"),
    circumstance=word_set(
        """
        hoy ayer anoche anteayer mañana ahora entonces siempre siguiente último última pasado pasada lunes martes miércoles
        jueves viernes sábado domingo mucho mucha muchos muchas muy demasiado demasiada tan tanto tanta terrible horrible
        fuerte enorme grande gran pequeño pequeña nuevo nueva vez veces día días hora horas
        año años mes meses semana semanas minuto minutos rato casi justo apenas además
        haber habido haberse hecho estado sido queda quedó total sólo solo dio da daba dan haberme cosa cosas hace hizo así
        """
    ),
    asking=word_set(
        """
        efecto efectos consecuencia consecuencias causa causas causó causan causar motivo motivos motivó razón razones origen
        culpa provoca provocó provocan provocar provocado lleva llevó produce produjo genera generó pasa pasó pasará ocurre
        ocurrió sucede sucedió tuvo tuvieron tenga debe debió debido resultado repercusiones implica desencadenó desencadena
        """
    ),
)

GERMAN = CausalLanguage(
    cues=(
        CausalCue(
            pattern=r"(?P<cause>[^,;:.?!]{3,120}?)\s+(?:löst|lösten|löste)\s+(?P<effect>[^,;:.?!]{3,120}?)\s+aus\b",
            order="framed",
            kind="TRIGGERS",
            confidence=0.9,
            needs=r"\b(?:löst|lösten|löste)\s.*\saus\b",
        ),
        CausalCue(
            pattern=r"(?P<cause>[^,;:.?!]{3,120}?)\s+(?:hat|haben|hatte|hatten)\s+(?P<effect>(?!nicht\b)[^,;:.?!]{3,120}?)\s+"
            r"(?:verursacht|bewirkt|hervorgerufen)\b",
            order="framed",
            confidence=0.85,
            needs=r"\b(?:hat|haben|hatte|hatten)\s.*\s(?:verursacht|bewirkt|hervorgerufen)\b",
        ),
        CausalCue(
            pattern=r"(?P<cause>[^,;:.?!]{3,120}?)\s+(?:hat|haben|hatte|hatten)\s+(?P<effect>(?!nicht\b)[^,;:.?!]{3,120}?)\s+ausgelöst\b",
            order="framed",
            kind="TRIGGERS",
            confidence=0.85,
            needs=r"\b(?:hat|haben|hatte|hatten)\s.*\sausgelöst\b",
        ),
        CausalCue(
            pattern=r"(?P<effect>[^,;:.?!]{3,120}?)\s+(?:wird|werden|wurde|wurden|ist|sind|war|waren)\s+(?:durch|von)\s+"
            r"(?P<cause>[^,;:.?!]{3,120}?)\s+(?:verursacht|ausgelöst|hervorgerufen|bewirkt)\b",
            order="framed",
            confidence=0.85,
            needs=r"\s(?:durch|von)\s.*\s(?:verursacht|ausgelöst|hervorgerufen|bewirkt)\b",
        ),
        CausalCue(
            pattern=r"(?:der grund|die ursache) (?:für|dafür,? dass)\s+(?P<effect>[^,;:.?!]{3,120}?)\s+(?:ist|war|sind|waren)\s+"
            r"(?P<cause>[^;:.?!]{3,160})",
            order="framed",
            confidence=0.8,
        ),
        CausalCue(
            pattern=r"verursacht|verursachten|verursachte|bewirkt|bewirkte|bewirkten|ruft hervor",
            order="cause_verb",
            confidence=0.85,
        ),
        CausalCue(
            pattern=r"(?:führt|führen|führte|führten) (?:(?:bei|in|mit) \w+ \w* ?)?(?:zu|zum|zur|dazu,? dass)",
            order="cause_verb",
            kind="LEADS_TO",
            confidence=0.85,
            takes_clause=True,
        ),
        CausalCue(pattern=r"endet in|endete in|endeten in", order="cause_verb", kind="LEADS_TO", confidence=0.5),
        CausalCue(
            pattern=r"(?:liegt|lag|liegen|lagen) (?:daran,? dass|an)|(?:geht|gehen|ging) auf(?=\s.*\bzurück)",
            order="effect_verb",
            confidence=0.6,
        ),
        CausalCue(pattern=r"weil", order="effect_first", confidence=0.85),
        CausalCue(
            pattern=r"(?<=, )da(?=\s(?:ich|er|sie|es|wir|ihr|man|der|die|das|mein|meine|kein|keine|ein|eine|sich)\b)",
            order="effect_first",
            confidence=0.7,
        ),
        CausalCue(pattern=r"(?<=, )denn", order="effect_first", confidence=0.7),
        CausalCue(
            pattern=r"wegen(?! mir| dir| uns)|aufgrund(?: von| der| des)?|infolge(?: von)?|dank|auf grund(?: von| der| des)?",
            order="effect_first",
            confidence=0.8,
        ),
        CausalCue(
            pattern=r"(?:und )?(?:deshalb|deswegen|darum|daher|folglich|somit|infolgedessen|aus diesem grund)",
            order="cause_first",
            confidence=0.7,
            takes_clause=True,
        ),
        CausalCue(pattern=r"sodass|so dass", order="cause_first", confidence=0.7, takes_clause=True),
        CausalCue(
            pattern=r"da(?=\s(?:ich|er|sie|es|wir|ihr|man|der|die|das|mein|meine|kein|keine|ein|eine|sich)\b)",
            order="fronted_cause",
            confidence=0.65,
        ),
        CausalCue(pattern=r"jedes mal,? wenn|immer wenn", order="fronted_cause", kind="TRIGGERS", confidence=0.5),
    ),
    negation=r"\b(?:nicht|nie|niemals|kein|keine|keinen|weder|noch|ohne)",
    conditional=r"^\W*(?:und |aber )?(?:falls|ob|obwohl|hätte|wäre)\b",
    hedge=r"\b(?:vielleicht|vermutlich|wahrscheinlich|möglicherweise|ich glaube|ich denke|wohl|anscheinend|könnte|könnten)\b",
    nothing=r"(?:nichts|niemand|kein\w*)",
    reflexive=r"(?!)",
    anaphor=r"(?!)",
    antecedent=r"(?!)",
    main_clause=r"(?!)",
    pronoun=r"(?:und )?(?:das|dies|was|dieses|jenes|es)",
    opening=r"(?:und|oder|aber|doch|dann|auch|außerdem|schließlich|heute|gestern|am nächsten tag|am abend|am morgen|nur|"
    r"schon|die|der|das|den|dem|des|ein|eine|einen|einem|einer|eines|mein|meine|meinen|meinem|meiner|sein|seine|seinen|"
    r"ihr|ihre|ihren|unser|unsere|dieser|diese|dieses|diesen|diesem|dass|ich glaube,? dass|vielleicht|vermutlich|"
    r"wahrscheinlich)",
    closing=r"(?:und|oder|aber|dass|die|der|das|den|dem|ein|eine|ist|sind|war|waren|hat|haben|wurde|wurden|auch|nur|schon|"
    r"heute|gestern|vor allem|vielleicht|vermutlich|wahrscheinlich|wohl)",
    relative=r"(?:der|die|das|was|welcher|welche|welches|wo|wobei)",
    joining=r"(?:und|oder|aber)",
    adjunct=r"(?:in|im|am|an|auf|mit|bei|beim|von|vom|zu|zum|zur|nach|seit|ohne|durch|für|über|unter|trotz)",
    subordinator=r"(?:dass|während|obwohl|aber|damit|bevor|nachdem|bis|wenn|weil)",
    reporting=r"(?:glaube|glaubt|sagt|sagte|denke|denkt|meint|meinte|weiß|zeigt|zeigte),? dass",
    polarity=word_set("nicht nie niemals kein keine keinen keinem keiner ohne"),
    circumstance=word_set(
        """
        heute gestern morgen jetzt immer wieder sehr viel viele stark schwer groß große großen neu neue neuen ganz fast
        gerade montag dienstag mittwoch donnerstag freitag samstag sonntag tag tage stunde stunden mal gehabt gewesen worden
        """
    ),
    asking=word_set(
        """
        grund gründe ursache ursachen folge folgen auswirkung auswirkungen wirkung verursacht verursachte führt führte löst
        löste passiert passierte geschah geschieht bewirkt bewirkte warum weshalb wieso wozu kam kommt liegt lag
        """
    ),
)

ENGLISH = CausalLanguage(
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

CAUSALITY: dict[Language, CausalLanguage] = {"es": SPANISH, "de": GERMAN, "en": ENGLISH}
"""The three languages."""
