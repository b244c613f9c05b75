"""Spanish: cues that one thing led to another."""

from rag_core.language.causality import CausalCue, CausalLanguage
from rag_core.language.words import word_set


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

CAUSALITY = CausalLanguage(
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
    clause_openings=("que",),
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
