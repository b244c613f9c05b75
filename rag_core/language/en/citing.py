"""English: words around citations."""

import re

from rag_core.language.citing import CitingWords
from rag_core.language.words import word_set

CITING = CitingWords(
    source_words=("Sources?", "Notes?", "Documents?", "Doc", "Citations?", "Ref(?:erences?)?"),
    title_words=("Source",),
    joining_words=("and",),
    pages=("page", r"p\."),
    sections=("section",),
    about=("about", "regarding"),
    copulas=("is", "was"),
    denials=(),
    lead=re.compile(
        r"(?<!\w)(?:according to|per|see(?: also)?|cf\.)(?: the)?(?: (?:notes?|sources?|documents?))?:?[ \t]*$|"
        r"(?<=\()(?:notes?|sources?):?[ \t]*$",
        re.IGNORECASE,
    ),
    naming_words=word_set("note notes source sources document according mentions mentioned says states noted"),
    aside_words=word_set(
        """
        hello hi good morning afternoon evening thanks thank sure course certainly okay ok following follows found find summary
        summarise summarize overview hope helps help helped useful want need like let know feel free can look search detail details
        information answer answers question questions anything else further please sorry afraid glad happy rest list here
        """
    ),
    label_verb=re.compile(
        r"\b(?:is|was|has|had|did|does|will|must|can|could|paid|cost|took|came|went|got|gave)\b|\b\w{2,}ed\b",
        re.IGNORECASE,
    ),
    replies=word_set("yes no yeah yep indeed exactly correct right true sure certainly course did was"),
    indirect_question=re.compile(r"(?:wh\w+|how|if)\b", re.IGNORECASE),
    no_negation=re.compile(r"\bnot only\b|\bno doubt\b|\bnot just\b|\bno sooner\b", re.IGNORECASE),
    name_openers=frozenset(),
)
