"""What a chat model is asked when it makes up an answer to search with, in each language."""

from collections.abc import Mapping
from dataclasses import dataclass

from rag_core.model.note import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class HydeWording:
    """The system message, and the user's with the field query."""

    system: str
    user: str


HYDE_WORDINGS: Mapping[Language, HydeWording] = {
    "es": HydeWording(
        system="Eres un asistente que genera respuestas hipotéticas para mejorar la búsqueda.",
        user="Genera una respuesta hipotética detallada a esta pregunta, como si estuvieras respondiendo desde una nota "
        "personal de diario:\n\nPregunta: {query}\n\nRespuesta hipotética:",
    ),
    "de": HydeWording(
        system="Du formulierst erdachte Antworten, mit denen sich in Notizen besser suchen lässt.",
        user="Schreibe eine ausführliche erdachte Antwort auf diese Frage, so wie sie in einer persönlichen "
        "Tagebuchnotiz stehen könnte:\n\nFrage: {query}\n\nErdachte Antwort:",
    ),
    "en": HydeWording(
        system="You write hypothetical answers that make it easier to search through notes.",
        user="Write a detailed hypothetical answer to this question, the way it might stand in a personal diary "
        "note:\n\nQuestion: {query}\n\nHypothetical answer:",
    ),
}
