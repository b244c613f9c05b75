"""English: refusals of a chat model."""

import re

from rag_core.language.refusals import RefusalWords

REFUSALS = RefusalWords(
    refusal=re.compile(
        r"\bi (?:do not|don['’]t) know\b|\b(?:not enough|insufficient) information\b|"
        r"\bi (?:cannot|can['’]t|could not|couldn['’]t|am unable to|was unable to) answer\b|"
        r"\bi (?:did not|didn['’]t|could not|couldn['’]t|cannot|can['’]t|do not|don['’]t|was unable to|am unable to) "
        r"(?:find|have|see)\b[^.,]{0,40}\b(?:answer|information|mention|anything|your notes|the notes|the sources)\b|"
        r"\bi (?:did not|didn['’]t|could not|couldn['’]t|cannot|can['’]t) (?:find|see) (?:that|this|it)\b|"
        r"\bno (?:answer|information|mention)\b[^.,]{0,60}\b(?:notes|sources|passages)\b|"
        r"\b(?:answer|information)\b[^.,]{0,40}(?:\bnot|n['’]t)\b[^.,]{0,40}\b(?:notes|sources|passages)\b|"
        r"\b(?:notes|sources|passages) (?:do not|don['’]t) "
        r"(?:say|mention|contain|answer|state|provide|include|specify|indicate)\b",
        re.IGNORECASE,
    ),
    contrast=re.compile(r"\bbut\b(?! (?:if|i can|you (?:can|could|may))\b)", re.IGNORECASE),
)
