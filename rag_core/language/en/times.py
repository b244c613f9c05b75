"""English: names of times and patterns around them."""

from rag_core.language.folding import fold
from rag_core.language.times import NUMERIC_DATES, TimeWording
from rag_core.language.words import in_order, numbered

_EN_YEAR = r"(?:,? (?:(?:of|in) )?{year})"
_EN_OF = r"(?! of(?!\w))"

MONTHS = in_order("January February March April May June July August September October November December")
WEEKDAYS = in_order("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")

TIMES = TimeWording(
    month_names=MONTHS,
    month_abbreviations=in_order("Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec"),
    month_day="{day}",
    open_interval="until {day}",
    weekday_names=WEEKDAYS,
    months=numbered(fold(" ".join(MONTHS)).text),
    weekdays=numbered(fold(" ".join(WEEKDAYS)).text, first=0),
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
    numbers=numbered(
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
    conjunctions=("and", "or"),
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
        *NUMERIC_DATES,
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
