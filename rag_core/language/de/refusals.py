"""German: refusals of a chat model."""

import re

from rag_core.language.refusals import RefusalWords

REFUSALS = RefusalWords(
    refusal=re.compile(
        r"\bich weiß (?:(?:es|das) )?(?:leider )?nicht\b|\bweiß ich (?:leider )?nicht\b|"
        r"\b(?:nicht genug|nicht genügend|keine ausreichenden|zu wenige?) (?:information(?:en)?|angaben)\b|"
        r"\bich\b[^.,]{0,40}\bkeine (?:antwort|information(?:en)?|angaben|hinweise)\b|"
        r"\b(?:dazu|darüber|hierzu|hierüber)\b[^.,]{0,40}\bkeine (?:antwort|information(?:en)?|angaben|hinweise)\b|"
        r"\bich kann\b[^.,]{0,40}\bnicht beantworten\b|"
        r"^(?=[^.,;:]*\b(?:notizen|quellen|textstellen|(?:unternehmens)?dokumenten?)\b)"
        r"(?=[^.,;:]*\b(?:sagen|enthalten|erwähn(?:en|t)|nennen|genannt|steht|stehen|finde|finden|findet|gibt|geben|beantworten)\b)"
        r"[^.,;:]*\b(?:nicht|nichts|keine[nrs]?)\b",
        re.IGNORECASE,
    ),
    contrast=re.compile(r"\b(?:aber|sondern)\b(?! (?:wenn|ich kann|du kannst)\b)", re.IGNORECASE),
)
