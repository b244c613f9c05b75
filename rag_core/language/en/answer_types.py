"""English: kinds of answers."""

from rag_core.language.answer_types import AnswerTypeWords
from rag_core.language.en.times import MONTHS, WEEKDAYS
from rag_core.language.words import word_set

ANSWER_TYPES = AnswerTypeWords(
    questions={
        "date": r"when|(?:what|which|what (?:is|was) the) (?:year|date|day|month|century|decade)",
        "number": r"how (?:many|much|old|long|far|tall|high|big|large|often|fast|deep|wide|heavy)|what (?:is |was )?(?:the )?"
        r"(?:percentage|percent|proportion|number|amount|height|age|distance|size|speed|temperature|price|population|time)",
        "name": r"who|whom|whose|where|(?:what|which|what (?:is|was) the) (?:person|city|country|place|state|region|river|street"
        r"|town|company|team)|what (?:is|was) \w+ name",
    },
    number_words=word_set(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
        " nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions"
        " billion half twice third dozen"
    ),
    date_words=word_set(" ".join((*MONTHS, *WEEKDAYS)).lower()) | word_set("century yesterday today tonight"),
)
