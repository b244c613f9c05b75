"""English: words that join and open questions."""

from rag_core.language.en.stop_words import STOP_WORDS
from rag_core.language.questions import QuestionWording
from rag_core.language.words import word_set

QUESTIONS = QuestionWording(
    joining=r"and (?:also|additionally|furthermore|moreover|in addition)",
    leading=r"and|also|additionally|furthermore|moreover",
    asking=r"(?:(?:about|at|by|for|from|in|of|on|since|to|until|with) )?"
    r"(?:what|who|whom|whose|where|when|why|which|how)",
    empty=STOP_WORDS.function_words,
    happening=word_set(
        """
        do does did done doing happen happens happened happening occur occurred went go gone going been was were up on
        write wrote written note noted notes day days thing things tell me
        """
    ),
    greetings=r"hello|hi|hey|good morning|good afternoon|good evening|"
    r"thanks|many thanks|thanks a lot|thank you|thank you very much|goodbye|bye",
)
