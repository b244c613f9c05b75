"""What is said instead of an answer, word for word, in each language."""

from collections.abc import Mapping

from rag_core.model.note import Language

NO_NOTES: Mapping[Language, str] = {
    "es": "No tengo ninguna nota en la que buscar.",
    "de": "Ich habe keine Notizen, in denen ich suchen könnte.",
    "en": "I don't have any notes to search.",
}
"""Said where there is no note at all."""

NOT_ENOUGH: Mapping[Language, str] = {
    "es": "No tengo suficiente información en tus notas para responder a esta pregunta.",
    "de": "Ich habe nicht genug Informationen in deinen Notizen, um diese Frage zu beantworten.",
    "en": "I don't have enough information in your notes to answer this question.",
}
"""Said where notes were found, and they are too far from the question, or nothing of an answer holds."""

NO_NOTE_OF: Mapping[Language, str] = {
    "es": "No hay ninguna {note}.",
    "de": "Es gibt keine {note}.",
    "en": "There is no {note}.",
}
"""Said where all that is asked for is a day that no note is of; the note is named by its date, see ``wordings``."""
