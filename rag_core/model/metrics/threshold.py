"""Metric of the similarity threshold; undefined where there is no threshold to reach."""

from rag_core.model.metrics.registry import Metric, register

register(
    Metric(
        name="confidence_rate",
        titles={"en": "confidence", "es": "Confianza", "de": "Sicherheit"},
        formula="1 if a result reaches the similarity threshold, else 0",
        figure=lambda result: None if result.is_confident is None else float(result.is_confident),
        meanings={
            "es": "algún resultado llega al umbral de semejanza",
            "en": "a result reaches the similarity threshold",
            "de": "ein Ergebnis erreicht den Schwellenwert der Ähnlichkeit",
        },
        is_partial=True,
        is_shown=True,
        compared_as="confidence",
        is_decisive=True,
    )
)
