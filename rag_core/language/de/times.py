"""German: names of times and patterns around them."""

from rag_core.language.folding import fold
from rag_core.language.times import NUMERIC_DATES, TimeWording
from rag_core.language.words import in_order, numbered, word_set

_DE_YEAR = r"(?:,? (?:des jahres |im jahre? )?{year})"
# "Was habe ich 2019 gemacht?" needs no preposition; "Windows 2019" is none.
_DE_BEFORE_A_BARE_YEAR = "|".join(
    rf"(?<=\b{word}\s)"
    for word in sorted(
        word_set("ich wir er sie es man sich war waren wurde wurden hat hatte haben ist geschah passierte mich uns")
    )
)

MONTHS = in_order("Januar Februar März April Mai Juni Juli August September Oktober November Dezember")
WEEKDAYS = in_order("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag")

TIMES = TimeWording(
    month_names=MONTHS,
    month_abbreviations=in_order("Jan. Feb. März April Mai Juni Juli Aug. Sept. Okt. Nov. Dez."),
    month_day="{day}.",
    open_interval="bis {day}",
    weekday_names=WEEKDAYS,
    months=numbered(fold(" ".join(MONTHS)).text) | {"janner": 1, "feber": 2, "maerz": 3},
    weekdays=numbered(fold(" ".join(WEEKDAYS)).text, first=0) | {"sonnabend": 5},
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
    numbers=numbered(
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
    conjunctions=("und", "oder"),
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
        *NUMERIC_DATES,
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
