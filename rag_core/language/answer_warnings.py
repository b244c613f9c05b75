"""What people are told of how an answer came about, in each language."""

from collections.abc import Mapping
from typing import Literal

from rag_core.model.note import Language

PathWarning = Literal[
    "invalid_configuration",
    "keyword_recency",
    "recent_notes",
    "degraded_search",
    "model_failed",
    "model_busy",
    "removed_citations",
    "unsupported",
    "not_summarised",
]

PATH_WARNINGS: Mapping[Language, Mapping[PathWarning, str]] = {
    "es": {
        "invalid_configuration": "Configuración inválida, usando valores predeterminados",
        "keyword_recency": "La búsqueda semántica no está disponible; se ha buscado por palabras y por fecha.",
        "recent_notes": "Ninguna nota trata de la pregunta; se han leído las más recientes, que no prueban nada.",
        "degraded_search": "La búsqueda ha sido parcial: puede haber notas que no se han tenido en cuenta.",
        "model_failed": "El modelo de lenguaje no ha respondido; se citan las frases de tus notas tal como están.",
        "model_busy": "El modelo de lenguaje está ocupado con otras preguntas; se citan las frases de tus notas tal como están.",
        "removed_citations": "Se han quitado citas de fuentes que no existen.",
        "not_summarised": "Las fuentes no se han podido resumir; se han leído sus frases más cercanas a la pregunta.",
        "unsupported": "Alguna frase no está respaldada por la fuente que cita.",
    },
    "de": {
        "invalid_configuration": "Ungültige Konfiguration, es gelten die Standardwerte",
        "keyword_recency": "Die semantische Suche ist nicht verfügbar; gesucht wurde nach Wörtern und Datum.",
        "recent_notes": "Keine Notiz handelt von der Frage; gelesen wurden die neuesten, die nichts belegen.",
        "degraded_search": "Die Suche war unvollständig: Manche Notizen wurden vielleicht nicht berücksichtigt.",
        "model_failed": "Das Sprachmodell hat nicht geantwortet; zitiert werden Sätze aus deinen Notizen, wie sie dastehen.",
        "model_busy": "Das Sprachmodell ist mit anderen Fragen beschäftigt; zitiert werden Sätze aus deinen Notizen, wie sie dastehen.",
        "removed_citations": "Verweise auf Quellen, die es nicht gibt, wurden entfernt.",
        "not_summarised": "Die Quellen ließen sich nicht zusammenfassen; gelesen wurden die Sätze, die der Frage am nächsten sind.",
        "unsupported": "Mancher Satz wird von der Quelle, die er nennt, nicht belegt.",
    },
    "en": {
        "invalid_configuration": "Invalid configuration, using default values",
        "keyword_recency": "Semantic search is not available; the search went by words and by date.",
        "recent_notes": "No note is about the question; the newest ones were read, which are not evidence.",
        "degraded_search": "The search was partial: some notes may have been left out.",
        "model_failed": "The language model did not answer; sentences of your notes are quoted as they stand.",
        "model_busy": "The language model is busy with other questions; sentences of your notes are quoted as they stand.",
        "removed_citations": "Citations of sources that do not exist were removed.",
        "not_summarised": "The sources could not be summarised; the sentences nearest to the question were read.",
        "unsupported": "Some sentence is not supported by the source it cites.",
    },
}
