"""English: follow-up questions."""

import re

from rag_core.language.follow_ups import FollowUpWords
from rag_core.language.words import any_of, word_set

_NOW_EN = (
    r"(?: \w+)? (?:weeks?|months?|years?|morning|afternoon|evening|summer|winter|spring|autumn|fall|weekend|quarter|semester|"
    r"term|season|days|time|past|last|coming|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)

FOLLOW_UPS = FollowUpWords(
    opening=re.compile(r"\s*(?:(?:and|or|but|so|then|also|what about|how about)\b[\s,:]*)+", re.IGNORECASE),
    pointing=any_of(
        r"him|them|the same|that one",
        r"her(?! \w)|her(?= (?:about|for|to|at|in|on|with|last|again|that|when)\b)",
        r"(?:of|about|for|with|on|in|to|from|at|after|before) it",
        rf"(?:this|these|those)(?!{_NOW_EN})",
        r"(?<!is )(?<!are )(?<!was )(?<!were )(?<!be )(?<!been )"
        r"there(?!'s| (?:is|are|was|were|has|have|had|be|been|will|would|a|an|any)\b)",
        r"(?:of|about|for|with|on|in|to|from|at|after|before|is|was|did|does|do|has|had|will|would|can|could|should) that",
        r"that(?=\s*[?.!]*$)",
    ),
    referring=any_of(
        r"he|his|she|hers?|they|theirs?|its",
        r"it(?! (?:that|rain|snow|hail|storm|tak|took|get|go(?:es|ing)\b|cold|warm|hot|sunny|possible))",
    ),
    clause_opening=re.compile(r"[,;:]|\b(?:and|or|but|when|while|if|because|that|who|which|until)\b", re.IGNORECASE),
    asking_words=word_set("what who whom when where how why which whose"),
    asking_for_a_noun=word_set("which what whose much many"),
    verbs_first=word_set(
        """
        did do does is are was were am have has had can could will would should may might didn't don't doesn't isn't wasn't haven't
        hasn't
        """
    ),
    before_a_verb=word_set("i we you"),
    going_to="to",
    saying_nothing=word_set("else exactly again"),
    weather=word_set("rain rained snow snowed"),
    noun_stand_in=re.compile(r"the ones? (?=(?:about|at|for|from|in|of|on|to|with) )", re.IGNORECASE),
    most_nouns=4,
    auxiliaries=word_set("did do does have has had will would can could should is are was were didn't doesn't hasn't"),
)
