"""German: prompts for a hypothetical answer."""

from rag_core.language.hyde import HydeWording

HYDE = HydeWording(
    system="Du formulierst erdachte Antworten, mit denen sich in Notizen besser suchen lässt.",
    user="Schreibe eine ausführliche erdachte Antwort auf diese Frage, so wie sie in einer persönlichen "
    "Tagebuchnotiz stehen könnte:\n\nFrage: {query}\n\nErdachte Antwort:",
)
