"""How times are named in each language: names of days, months and seasons, and patterns around them.

The patterns are matched against ``folding.fold``: lower case, no accents; a space stands for any white space.
``{month}``, ``{weekday}``, ``{any_weekday}``, ``{season}``, ``{feast}``, ``{number}``, ``{few}``, ``{unit}``, ``{year}``,
``{part_of_day}``, ``{this}`` and ``{last}`` are filled in. Here: words and patterns; ``rag_core.query.time_expressions`` says
what they mean.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rag_core.language.words import word_set
from rag_core.model.note import Language

Unit = Literal["day", "week", "month", "year"]
Reading = Literal[
    "today",
    "yesterday",
    "day_before_yesterday",
    "last_night",
    "recently",
    "this_unit",
    "last_unit",
    "past_units",
    "past_few",
    "units_ago",
    "few_ago",
    "bare_unit",
    "month",
    "day_of_month",
    "days_of_month",
    "weekday",
    "weekend",
    "season",
    "feast",
    "year",
    "calendar_date",
]
"""What a pattern is read as. Named groups say the rest: ``this`` and ``last`` are determiners; they, a year and ``named``
make a name a time of its own, which otherwise needs a preposition."""
Feast = Literal[
    "christmas",
    "christmas_holidays",
    "christmas_eve",
    "christmas_day",
    "new_years_eve",
    "new_years_day",
    "epiphany",
    "holy_week",
    "easter",
    "easter_sunday",
    "easter_monday",
    "midsummer",
]
"""Days of every year that a diary calls by their names; ``rag_core.query.feasts`` knows when they are."""
Frame = Literal["beginning", "middle", "end", "since", "until", "before", "after", "within"]
"""What may stand before a time and changes it; ``within`` ("en", "in") only makes a bare name a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeWording:
    """What one language calls times.

    ``measures`` behind four digits make them a quantity, no year. ``names`` before a date make it a place ("Plaza del 2
    de Mayo"). ``links`` are prepositions taken into the expression. ``ranges`` are pairs: before the first time, and
    between it and the second. ``contractions`` are read in full ("del" as "de el"); ``this`` and ``last`` are determiners.
    """

    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    seasons: Mapping[str, int]
    feasts: Mapping[str, Feast]
    numbers: Mapping[str, int]
    few: str
    units: Mapping[str, Unit]
    part_of_day: str
    measures: str
    names: str
    links: str
    readings: tuple[tuple[Reading, str], ...]
    frames: tuple[tuple[Frame, str], ...]
    ranges: tuple[tuple[str, str], ...]
    contractions: Mapping[str, str] = field(default_factory=dict)
    this: str = ""
    last: str = ""


def _numbered(words: str, *, first: int = 1) -> dict[str, int]:
    """Words in their order, alternatives joined by "|": "uno|una dos" gives uno 1, una 1, dos 2."""
    return {
        word: number for number, alternatives in enumerate(words.split(), first) for word in alternatives.split("|")
    }


_NUMERIC_DATES: tuple[tuple[Reading, str], ...] = (
    ("calendar_date", r"(?P<year>\d{4})-(?P<month_number>\d{1,2})-(?P<day>\d{1,2})(?![-./]\w)"),
    ("calendar_date", r"(?P<day>\d{1,2})([-./])(?P<month_number>\d{1,2})\2(?P<year>\d{4})(?![-./]\w)"),
    ("calendar_date", r"(?P<day>\d{1,2})/(?P<month_number>\d{1,2})/(?P<year>\d{2})(?![-./]\w)"),
)

_ES_FUTURE = r"(?! (?:que viene|proxim[oa]|siguiente))"
_ES_OF = r"(?! (?:de|en que)(?!\w))"
_ES_YEAR = r"(?:,? (?:(?:de|en) )?(?:el )?(?:ano )?{year})"

_SPANISH = TimeWording(
    months=_numbered(
        "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre"
    ),
    weekdays=_numbered("lunes martes miercoles jueves viernes sabado domingo", first=0),
    seasons={"primavera": 3, "verano": 6, "otono": 9, "invierno": 12},
    feasts={
        "navidad": "christmas",
        "navidades": "christmas_holidays",
        "nochebuena": "christmas_eve",
        "nochevieja": "new_years_eve",
        "fin de ano": "new_years_eve",
        "ano nuevo": "new_years_day",
        "reyes": "epiphany",
        "semana santa": "holy_week",
        "domingo de resurreccion": "easter_sunday",
        "domingo de pascua": "easter_sunday",
        "lunes de pascua": "easter_monday",
        "san juan": "midsummer",
    },
    numbers=_numbered(
        """
        un|uno|una dos|par tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince
        dieciseis diecisiete dieciocho diecinueve veinte
        """
    )
    | {"veinticuatro": 24, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "noventa": 90, "cien": 100},
    few=r"(?:un[oa]s(?: (?:poc|cuant)[oa]s)?|algun[oa]s|poc[oa]s|vari[oa]s)",
    units={
        **dict.fromkeys(("dia", "dias"), "day"),
        **dict.fromkeys(("semana", "semanas"), "week"),
        **dict.fromkeys(("mes", "meses"), "month"),
        **dict.fromkeys(("ano", "anos"), "year"),
    },
    part_of_day=r"(?: (?:por|a|en|de) la (?:manana|tarde|noche|madrugada)| al mediodia| noche| tarde)",
    measures=r"%|€|\$|metros?|km2?|kilometros?|millas|euros?|dolares|personas|habitantes|mil|millones|anos|kg|kilos|gramos"
    r"|hectareas|puntos|unidades|ejemplares|palabras|veces|calorias|pesetas|libras|toneladas|pies|m2?|w|vatios",
    names=r"(?:plaza|plazuela|calle|avenida|avda|barrio|paseo|parque|estadio|colegio|instituto|hospital|batalla|madres"
    r"|hotel|estacion|metro|movimiento)(?: de(?: el| la)?)?",
    links=r"(?:(?:en|durante|de)(?: tod[oa])?|tod[oa])(?: el| la)?",
    readings=(
        (
            "today",
            r"est[ae] (?:misma )?(?:manana|tarde|noche|madrugada|mediodia)",
        ),
        (
            "today",
            r"hoy(?: mismo)?(?! en dia| dia| por hoy| es(?!\w)| son(?!\w)){part_of_day}?",
        ),
        ("yesterday", r"ayer{part_of_day}?"),
        ("day_before_yesterday", r"(?:anteayer|antier|antes de ayer){part_of_day}?|anteanoche"),
        ("last_night", r"anoche|(?:la )?noche pasada|la pasada noche"),
        ("recently", r"hace (?:muy )?poco(?: tiempo)?(?! que)|ultimamente|recientemente|el otro dia|estos dias"),
        ("this_unit", r"est[ea] (?:mism[oa] )?{unit}" + _ES_FUTURE),
        ("last_unit", r"(?:(?:la|el) )?{unit} (?:pasad[oa]|anterior(?! a(?!\w)))" + _ES_OF),
        ("last_unit", r"(?:la|el) pasad[oa] {unit}" + _ES_OF),
        ("past_units", r"(?:la|el) ultim[oa] (?P<single>){unit}" + _ES_OF),
        ("past_units", r"(?:l[oa]s|est[oa]s) (?:ultim|pasad)[oa]s {number} {unit}" + _ES_OF),
        ("past_units", r"(?:l[oa]s|est[oa]s) {number} (?:ultim|pasad)[oa]s {unit}" + _ES_OF),
        ("past_few", r"(?:l[oa]s|est[oa]s) ultim[oa]s {unit}" + _ES_OF),
        (
            "units_ago",
            r"hace (?:ya |casi |como |unos |unas |exactamente )?(?:un )?{number}(?: de)? {unit}(?! que)(?: atras)?",
        ),
        ("units_ago", r"{number} {unit} atras"),
        ("few_ago", r"hace (?:ya )?{few} {unit}(?! que)"),
        ("bare_unit", r"(?:(?:el|la) )?{unit}"),
        (
            "month",
            r"(?:(?P<this>este) |el )?(?:(?P<last>pasado) )?(?P<named>mes de )?"
            r"{month}(?: (?P<last_too>pasado))?" + _ES_YEAR + "?" + _ES_FUTURE + r"(?! de(?: el)? (?:ano )?'?\d)",
        ),
        (
            "day_of_month",
            r"(?P<named>(?:el |pasado |dia |{any_weekday},? )+)?(?P<day>\d{1,2}|primero|uno)[.º]? de {month}"
            + _ES_YEAR
            + "?",
        ),
        (
            "days_of_month",
            r"(?:entre|desde|de) (?:el )?(?:dia )?(?P<day>\d{1,2}) (?:y|a|hasta) (?:el )?(?:dia )?"
            r"(?P<last_day>\d{1,2}) de {month}" + _ES_YEAR + "?",
        ),
        (
            "weekday",
            r"(?<!proximo\s)(?:(?P<this>este) |(?P<named>el) (?:(?P<last>pasado|ultimo) )?)?{weekday}"
            r"(?: (?P<last_too>pasado))?{part_of_day}?"
            + _ES_FUTURE
            + r"(?! (?:santo|negro|de (?:pascua|ramos|carnaval|resurreccion|gloria|ceniza)|\d))",
        ),
        (
            "weekend",
            r"(?:(?P<this>este)|el) (?:(?P<last>pasado|ultimo) )?fin de semana(?: (?P<last_too>pasado|anterior))?"
            + _ES_FUTURE
            + _ES_OF,
        ),
        (
            "season",
            r"(?:(?P<this>est[ea]) |(?:el|la) (?:(?P<last>pasad[oa]|ultim[oa]) )?)?{season}(?: (?P<last_too>pasad[oa]))?"
            + _ES_YEAR
            + "?"
            + _ES_FUTURE
            + r"(?! (?:sound|arabe|de (?!(?:el )?(?:ano )?\d)))",
        ),
        (
            "feast",
            r"(?:(?P<this>est[ae]s?) |(?P<day_of>(?:(?:el|la) )?(?:dia|noche) de )|(?P<named>por(?: las?)?) "
            r"|(?:el|las?) (?:(?P<last>(?:pasad|ultim)[ao]s?) )?)?"
            r"(?!(?<=en\s)san juan){feast}(?! catolicos| magos)(?: (?P<last_too>pasad[ao]s?))?"
            r"(?: (?P<year_before>de el ano pasado)|" + _ES_YEAR + r")?" + _ES_FUTURE,
        ),
        ("year", r"(?P<named>(?:el )?ano ){year}"),
        ("year", r"(?:el )?{year}"),
        *_NUMERIC_DATES,
    ),
    frames=(
        ("beginning", r"(?:a (?:el )?)?(?:principios?|comienzos?|inicios?) de"),
        ("middle", r"(?:a )?mediados de"),
        ("end", r"(?:a (?:el )?)?(?:finales|final|fines|fin) de"),
        ("since", r"desde(?: el| la)?|a partir de(?: la)?"),
        ("before", r"antes de(?: el| la)?"),
        ("after", r"despues de(?: el| la)?"),
        ("until", r"hasta(?: el| la)?"),
        ("within", r"(?:en|durante)(?: tod[oa])?(?: el| la)?(?: mes de)?"),
    ),
    ranges=(("entre(?: el)?", "y(?: el)?"), ("desde(?: el)?", "hasta(?: el)?"), ("de(?: el)?", "(?:a|hasta)(?: el)?")),
    contractions={"del": "de el", "al": "a el"},
)

_DE_YEAR = r"(?:,? (?:des jahres |im jahre? )?{year})"

# "Was habe ich 2019 gemacht?" needs no preposition; "Windows 2019" is none.
_DE_BEFORE_A_BARE_YEAR = "|".join(
    rf"(?<=\b{word}\s)"
    for word in sorted(
        word_set("ich wir er sie es man sich war waren wurde wurden hat hatte haben ist geschah passierte mich uns")
    )
)

_GERMAN = TimeWording(
    months=_numbered(
        """
        januar|janner februar|feber marz|maerz april mai juni juli august september oktober november dezember
        """
    ),
    weekdays=_numbered("montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag", first=0),
    seasons={"fruhling": 3, "fruhjahr": 3, "sommer": 6, "herbst": 9, "winter": 12},
    feasts={
        "weihnachten": "christmas",
        "heiligabend": "christmas_eve",
        "heiligen abend": "christmas_eve",
        "weihnachtstag": "christmas_day",
        "ersten weihnachtstag": "christmas_day",
        "silvester": "new_years_eve",
        "neujahr": "new_years_day",
        "karwoche": "holy_week",
        "ostern": "easter",
        "ostersonntag": "easter_sunday",
        "ostermontag": "easter_monday",
    },
    numbers=_numbered(
        """
        ein|eine|einem|einen|einer zwei drei vier funf|fuenf sechs sieben acht neun zehn elf zwolf|zwoelf dreizehn
        vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn zwanzig
        """
    )
    | {"dreissig": 30, "vierzig": 40, "sechzig": 60, "neunzig": 90, "hundert": 100},
    few=r"(?:einigen?|wenigen?|mehreren?|(?:ein )?paar)",
    units={
        **dict.fromkeys(("tag", "tage", "tagen"), "day"),
        **dict.fromkeys(("woche", "wochen"), "week"),
        **dict.fromkeys(("monat", "monate", "monaten", "monats"), "month"),
        **dict.fromkeys(("jahr", "jahre", "jahren", "jahres"), "year"),
    },
    this=r"(?:diese[nrsm]?|dies)",
    last=r"(?:letzte|vergangene|vorige)[nrsm]?",
    part_of_day=r" (?:fruh|morgens?|vormittags?|mittags?|nachmittags?|abends?|nachts?|in der nacht)",
    measures=r"%|€|\$|prozent|meter|km|kilometer|euro|dollar|personen|menschen|einwohner|millionen|jahren?|kg|kilo|gramm"
    r"|hektar|punkte|stuck|seiten|mal|kalorien|tonnen|watt",
    names=r"(?:strasse|platz|schlacht|u-bahnhof|bahnhof)(?: des| der| vom)?",
    links=r"(?:in|im|am|wahrend|von|vom)(?: der| des| dem| den)?",
    readings=(
        ("last_night", r"{last} nacht|heute nacht|gestern nacht|gestern in der nacht"),
        ("today", r"heute{part_of_day}?"),
        ("yesterday", r"gestern{part_of_day}?"),
        ("day_before_yesterday", r"vorgestern{part_of_day}?"),
        ("recently", r"vor kurzem|kurzlich|neulich|in letzter zeit"),
        ("this_unit", r"{this} {unit}"),
        ("last_unit", r"{last} {unit}"),
        ("past_units", r"(?:den |der |die )?{last} {number} {unit}"),
        ("past_units", r"(?:den |der |die )?{number} {last} {unit}"),
        ("past_few", r"(?:die|den) {last} (?:{few} )?{unit}"),
        ("units_ago", r"vor (?:etwa |fast |ungefahr |genau )?{number} {unit}"),
        ("few_ago", r"vor {few} {unit}"),
        ("bare_unit", r"(?:des |der )?{unit}"),
        (
            "month",
            r"(?:(?P<this>{this}) |(?P<last>{last}) )?(?:monat )?{month}" + _DE_YEAR + "?",
        ),
        (
            "day_of_month",
            r"(?P<named>(?:am |vom |zum |dem |den |der |des |{any_weekday},? )+)?(?P<day>\d{1,2})\. ?{month}"
            + _DE_YEAR
            + "?",
        ),
        (
            "days_of_month",
            r"(?:zwischen|vom|von)(?: dem)? (?P<day>\d{1,2})\. (?:und|bis)(?: zum| dem)? "
            r"(?P<last_day>\d{1,2})\. ?{month}" + _DE_YEAR + "?",
        ),
        (
            "weekday",
            (
                r"(?:(?P<this>{this}) |(?P<last>{last}) |(?P<named>am|vom) (?:(?P<last_too>{last}) )?)?{weekday}"
                r"{part_of_day}?(?!,? (?:den )?\d)"
            ),
        ),
        (
            "weekend",
            r"(?:(?P<this>{this})|(?P<last>{last})|am(?: (?P<last_too>{last}))?) wochenende",
        ),
        (
            "season",
            r"(?:(?P<this>{this}) |(?P<last>{last}) |dem )?{season}" + _DE_YEAR + "?",
        ),
        (
            "feast",
            r"(?:(?P<this>{this}) |(?P<last>{last}) |(?P<named>an|am|zu|uber|in der) (?:(?P<last_too>{last}) )?)?{feast}"
            r"(?: (?P<year_before>letztes jahr|(?:des )?letzten jahres)|" + _DE_YEAR + r")?",
        ),
        ("year", r"(?P<named>(?:jahre?|jahres) ){year}"),
        ("year", r"(?P<named>" + _DE_BEFORE_A_BARE_YEAR + ")?{year}"),
        *_NUMERIC_DATES,
    ),
    frames=(
        ("beginning", r"(?:(?:am|zu) )?(?:anfang|beginn)(?: der| des| vom)?"),
        ("middle", r"mitte(?: der| des)?"),
        ("end", r"(?:(?:am|zum) )?ende(?: der| des| vom)?"),
        ("since", r"(?:seit|ab)(?: dem| der)?"),
        ("before", r"vor(?: dem| der)?"),
        ("after", r"nach(?: dem| der)?"),
        ("until", r"bis(?: zum| zur)?"),
        ("within", r"(?:in|im|wahrend)(?: dem| des| der)?(?: monat)?"),
    ),
    ranges=(("zwischen(?: dem)?", "und(?: dem)?"), ("(?:von|vom)", "bis(?: zum)?"), ("seit(?: dem)?", "bis(?: zum)?")),
)

_EN_YEAR = r"(?:,? (?:(?:of|in) )?{year})"
_EN_OF = r"(?! of(?!\w))"

_ENGLISH = TimeWording(
    months=_numbered("january february march april may june july august september october november december"),
    weekdays=_numbered("monday tuesday wednesday thursday friday saturday sunday", first=0),
    seasons={"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12},
    feasts={
        "christmas": "christmas",
        "christmas eve": "christmas_eve",
        "christmas day": "christmas_day",
        **dict.fromkeys(("new year's eve", "new year’s eve", "new years eve"), "new_years_eve"),
        **dict.fromkeys(("new year's day", "new year’s day", "new years day"), "new_years_day"),
        "holy week": "holy_week",
        "easter": "easter",
        "easter sunday": "easter_sunday",
        "easter monday": "easter_monday",
    },
    numbers=_numbered(
        """
        a|an|one two|couple three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty
        """
    )
    | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100},
    few=r"(?:(?:a )?few|several|some)",
    units={
        **dict.fromkeys(("day", "days"), "day"),
        **dict.fromkeys(("week", "weeks"), "week"),
        **dict.fromkeys(("month", "months"), "month"),
        **dict.fromkeys(("year", "years"), "year"),
    },
    part_of_day=r" (?:morning|afternoon|evening|night|at noon)",
    measures=r"%|€|\$|percent|meters?|metres?|feet|foot|km|kilomet(?:er|re)s?|miles?|euros?|dollars?|people|inhabitants|million"
    r"|years?|kg|kilos?|grams?|acres|points|copies|pages|words|times|calories|pounds|tons|watts?|square",
    names=r"(?:square|street|avenue|battle of|plaza)(?: the)?",
    links=r"(?:in|during|over|of|from|on|for|within)(?: the| all)?",
    readings=(
        ("last_night", r"last night"),
        ("today", r"today|tonight|this (?:very )?(?:morning|afternoon|evening)"),
        ("yesterday", r"yesterday{part_of_day}?"),
        ("day_before_yesterday", r"(?:the )?day before yesterday"),
        ("recently", r"recently|lately|(?:the )?other day|not long ago|a (?:short )?while ago"),
        ("this_unit", r"this (?:very )?{unit}"),
        ("last_unit", r"(?:last|(?:the )?previous) {unit}" + _EN_OF),
        ("past_units", r"(?:the|this) (?:last|past) (?P<single>){unit}" + _EN_OF),
        ("past_units", r"(?:the )?(?:last|past) (?:a )?{number}(?: of)? {unit}" + _EN_OF),
        ("past_few", r"(?:the |these )?(?:last|past) (?:{few} )?{unit}" + _EN_OF),
        ("units_ago", r"(?:about |almost |exactly |some )?(?:a )?{number}(?: of)? {unit} ago"),
        ("few_ago", r"{few} {unit} ago"),
        ("bare_unit", r"(?:the )?{unit}"),
        ("month", r"(?:(?P<this>this) |(?P<last>last) |(?:the )?month of )?{month}" + _EN_YEAR + "?"),
        (
            "day_of_month",
            r"(?P<named>(?:on |the |{any_weekday},? )+)?(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? {month}"
            + _EN_YEAR
            + "?",
        ),
        (
            "day_of_month",
            (
                r"(?P<named>(?:on |{any_weekday},? )+)?{month} (?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?(?!\d)"
                r"(?:,? {year})?(?! (?:people|times|days|years|percent|\d))"
            ),
        ),
        (
            "days_of_month",
            r"(?:between|from) (?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)? (?:and|to|until) (?:the )?"
            r"(?P<last_day>\d{1,2})(?:st|nd|rd|th)?(?: of)? {month}" + _EN_YEAR + "?",
        ),
        (
            "days_of_month",
            (
                r"(?:between|from) {month} (?P<day>\d{1,2})(?:st|nd|rd|th)? (?:and|to|until) "
                r"(?P<last_day>\d{1,2})(?:st|nd|rd|th)?(?:,? {year})?"
            ),
        ),
        (
            "weekday",
            (
                r"(?<!next\s)(?<!black\s)(?<!good\s)"
                r"(?:(?P<this>this(?: past)?) |(?P<last>last) |(?P<named>on) (?:(?P<last_too>last) )?)?"
                r"{weekday}{part_of_day}?(?!,? (?:the )?\d)(?! school)"
            ),
        ),
        ("weekend", r"(?:(?P<this>this)|(?P<last>last|this past|the past)|over the|on the|at the) weekend"),
        (
            "season",
            r"(?:(?P<this>this) |(?P<last>last) |the )?{season}" + _EN_YEAR + r"?(?! of(?!\w))(?! break| water| roll)",
        ),
        (
            "feast",
            r"(?:(?P<this>this) |(?P<last>last) |(?P<named>at|on|over|for) (?:(?P<last_too>last) )?)?{feast}"
            r"(?! (?:tree|present|card|egg|bunny|island)s?(?!\w))"
            r"(?: (?P<year_before>(?:of )?last year)|" + _EN_YEAR + r")?",
        ),
        ("year", r"(?P<named>(?:the )?year ){year}"),
        ("year", r"{year}"),
        *_NUMERIC_DATES,
    ),
    frames=(
        ("beginning", r"(?:(?:at |in |from |by )?(?:the )?(?:beginning|start) of|(?:in )?early)(?: the)?"),
        ("middle", r"(?:(?:at |in )?(?:the )?middle of|(?:in )?mid)(?: the)?"),
        ("end", r"(?:(?:at |in |by )?(?:the )?end of|(?:in )?late)(?: the)?"),
        ("since", r"(?:ever )?since(?: the)?|starting(?: in| on)?"),
        ("before", r"before(?: the)?"),
        ("after", r"after(?: the)?"),
        ("until", r"(?:until|till|up to)(?: the)?"),
        ("within", r"(?:in|during|throughout|over|from)(?: the| all)?(?: month of)?"),
    ),
    ranges=(("between", "and"), ("from", "(?:to|until|till|through)"), ("since", "(?:to|until|till)")),
)

TIME_WORDINGS: Mapping[Language, TimeWording] = {"es": _SPANISH, "de": _GERMAN, "en": _ENGLISH}

CONJUNCTIONS = r"[,\s]*(?:(?:y|e|o|u|und|oder|and|or)\b)?[,\s]*"
"""What may stand between two times and goes with them ("ayer y hoy")."""
