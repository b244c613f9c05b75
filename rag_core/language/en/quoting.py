"""English: words that decide which sentences are quoted."""

import re

from rag_core.language.quoting import QuotingWords
from rag_core.language.words import word_set

_HAPPENING_WORDS = word_set(
    """
        do does did done doing happen happens happened happening occur occurred went go gone going been was were up on
        write wrote written note noted notes day days thing things tell me
        """
)

QUOTING = QuotingWords(
    happening_words=_HAPPENING_WORDS,
    light_words=_HAPPENING_WORDS
    | word_set(
        """
        say says said tell told give gave given get got gotten come came take took taken make made put see saw seen know knew
        want wanted let left keep kept called new year years mr mrs ms dr time
        """
    ),
    synonyms=tuple(
        word_set(words)
        for words in ("mother mom mum", "father dad", "doctor physician", "phone mobile", "car automobile")
    ),
    question_cues={
        "cause": r"why|what (?:was|is) the (?:reason|cause)",
        "duration": r"how long|how many (?:hours|days|minutes|weeks|months|years)",
        "clock": r"(?:at )?what time",
        "money": r"how much (?:did|do|does|was|is|were)\b.{0,60}\b(?:cost|pay|spend|earn|charge|offer|owe|worth)\w*"
        r"|how much money|what (?:did|does) .{0,40}\bcost",
        "temperature": r"what temperature|how (?:hot|cold|warm)|how many degrees",
        "weight": r"how heavy|how much (?:did|does) .{0,40}\bweigh|how many (?:kilos|grams|pounds)",
        "length": r"how (?:far|tall|high|deep)|how many (?:kilometres|kilometers|metres|meters|miles)",
        "speech": r"what (?:did|does) .{0,40}\b(?:say|answer|reply|ask|tell)",
        "place": r"where",
        "person": r"who|whom|whose",
    },
    of_a_person=(
        r"what(?: is|'s) my .{0,30}\bname|what is my .{0,30}\bcalled|(?<!\s)do i have|where do i live|how much do i earn"
        r"|when (?:was|is) .{0,40}\b(?:born|birthday)"
    ),
    yes_or_no=r"^(?!.*\b(?:what|who|whom|whose|when|where|which|why|how)\b).*\?\s*$",
    shown={
        "cause": r"\bbecause\b|\bsince\b|\bdue to\b|\bthanks to\b|\bthat is why\b|\bthe (?:cause|reason)\b|\bso that\b|\bowing to\b",
        "polarity": r"(?:^|[,:—“] ?)(?:yes|no)\b|\bin the end\b|\bnot yet\b|\bno longer\b|\bnever\b",
        "speech": r"^\W*—|“|\b(?:said|says|answered|replied|asked|told)\b",
        "duration": r"\d[^.;]{0,20}\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b",
        "clock": r"\b\d{1,2}[.:]\d{2}\b|\b\d{1,2} ?(?:am|pm|o'clock)\b|\bnoon\b|\bmidnight\b",
        "temperature": r"\d[\d.,]*\s*(?:°|degrees\b)",
        "weight": r"(?:\d|\b[a-zäöüáéíóú]+)\s*(?:kg|kilos?|grams?|g|pounds?|lb)\b",
        "length": r"(?:\d|\b[a-zäöüáéíóú]+)\s*(?:km|kilomet(?:re|er)s?|met(?:re|er)s?|m|cm|miles?|lengths)\b",
        "money": r"[$£€]\s*\d|\d[\d.,]*\s*(?:€|euros?|dollars?|pounds?|cents?)\b",
    },
    beside_places=r"\b(?:under|behind|beside|inside|next to|in front of|on top of|near) ",
    counting=r"how many\s+(\w+)",
    place_prepositions=r"\b(?:in|at|to|from|near|around)\s+(?:the\s+)?(?=[A-Z])",
    naming=re.compile(r"\bwhat (?:is|was) (?=\w+(?:'s)? name\b)", re.IGNORECASE),
)
