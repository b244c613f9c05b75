"""Spanish: prompts for a hypothetical answer."""

from rag_core.language.hyde import HydeWording

HYDE = HydeWording(
    system="Eres un asistente que genera respuestas hipotéticas para mejorar la búsqueda.",
    user="Genera una respuesta hipotética detallada a esta pregunta, como si estuvieras respondiendo desde una nota "
    "personal de diario:\n\nPregunta: {query}\n\nRespuesta hipotética:",
)
