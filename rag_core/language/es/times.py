"""Spanish: names of times and patterns around them."""

from rag_core.language.folding import fold
from rag_core.language.times import NUMERIC_DATES, TimeWording
from rag_core.language.words import in_order, numbered

_ES_FUTURE = r"(?! (?:que viene|proxim[oa]|siguiente))"
_ES_OF = r"(?! (?:de|en que)(?!\w))"
_ES_YEAR = r"(?:,? (?:(?:de|en) )?(?:el )?(?:ano )?{year})"

MONTHS = in_order("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre")
WEEKDAYS = in_order("lunes martes miércoles jueves viernes sábado domingo")

TIMES = TimeWording(
    month_names=MONTHS,
    month_abbreviations=in_order("ene feb mar abr may jun jul ago sept oct nov dic"),
    month_day="{day}",
    open_interval="hasta {day}",
    weekday_names=WEEKDAYS,
    months=numbered(fold(" ".join(MONTHS)).text) | {"setiembre": 9},
    weekdays=numbered(fold(" ".join(WEEKDAYS)).text, first=0),
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
    numbers=numbered(
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
    conjunctions=("y", "e", "o", "u"),
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
        *NUMERIC_DATES,
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
