"""Metrics of the answer to a golden query: by its words, by its citations, by a judge.

Words do not carry the meaning: a sentence that denies a source shares nearly all its words with it. So metrics by words are
named lexical or overlap; those of meaning need a judge.
"""

from typing import TYPE_CHECKING

from rag_core.model.metrics.registry import AnswerMetric, register
from rag_core.model.statistics import mean

if TYPE_CHECKING:
    from rag_core.model.answer_reading import AnswerReading

_NOTHING_STATED = "no answer states anything"
_NOTHING_CITED = "no answer cites anything"
_NO_SCORE = "the judge gave no score"


def _overlap(reading: "AnswerReading") -> float | None:
    """F1 of tokens, each counted as often as it stands in both.

    Source: Rajpurkar et al., SQuAD, EMNLP 2016, section 6.1, where only articles are left out and words are not stemmed.
    """
    if not reading.expected_tokens:
        return None
    shared = (reading.tokens & reading.expected_tokens).total()
    return 2 * shared / (reading.tokens.total() + reading.expected_tokens.total())


def _hallucination(reading: "AnswerReading") -> float | None:
    if reading.said_forbidden:
        return 1.0
    groundedness = reading.judgement.groundedness
    return None if groundedness is None else 1 - groundedness


register(
    AnswerMetric(
        name="expected_answer_overlap",
        titles={
            "en": "expected answer overlap",
            "es": "Parecido a la respuesta esperada, por palabras",
            "de": "Ähnlichkeit mit der erwarteten Antwort, nach Wörtern",
        },
        formula="F1 of the content words of answer and expected answer, 0 for a refusal; compare it between runs",
        figure=_overlap,
        undefined="no expected answer has a word",
    )
)
register(
    AnswerMetric(
        name="lexical_groundedness",
        titles={
            "en": "lexical groundedness",
            "es": "Apoyo léxico: frases cuyas palabras están en los pasajes",
            "de": "Wörtliche Belege: Sätze, deren Wörter in den Textstellen stehen",
        },
        formula="sentences that the sources cover by their words / stating sentences",
        figure=lambda reading: mean(claim.is_covered for claim in reading.claims),
        undefined=_NOTHING_STATED,
        is_one_of_quotations=True,
    )
)
register(
    AnswerMetric(
        name="key_facts_covered",
        titles={
            "en": "key facts covered",
            "es": "Datos clave dichos, por palabras",
            "de": "Genannte wichtige Angaben, nach Wörtern",
        },
        formula="key facts said / key facts",
        figure=lambda reading: mean(fact in reading.said_key_facts for fact in reading.query.key_facts),
        needs="key_facts",
    )
)
register(
    AnswerMetric(
        name="forbidden_content_found",
        titles={
            "en": "forbidden content found (lower is better)",
            "es": "Contenido prohibido, por palabras (menos es mejor)",
            "de": "Verbotener Inhalt, nach Wörtern (weniger ist besser)",
        },
        formula="1 if anything forbidden is said, else 0",
        figure=lambda reading: float(bool(reading.said_forbidden)) if reading.query.forbidden_content else None,
        needs="forbidden_content",
    )
)
register(
    AnswerMetric(
        name="citation_existence",
        titles={"en": "citation existence", "es": "Citas que existen", "de": "Vorhandene Quellen"},
        formula="citations of existing sources / citations",
        figure=lambda reading: mean(one.is_existing for claim in reading.claims for one in claim.citations),
        undefined=_NOTHING_CITED,
        is_one_of_quotations=True,
    )
)
register(
    AnswerMetric(
        name="citation_accuracy",
        titles={
            "en": "citation accuracy",
            "es": "Citas cuyo pasaje dice lo citado",
            "de": "Quellen, deren Textstelle das Zitierte sagt",
        },
        formula="citations whose source covers the sentence by its words / citations",
        figure=lambda reading: mean(one.is_covering for claim in reading.claims for one in claim.citations),
        undefined=_NOTHING_CITED,
        is_one_of_quotations=True,
    )
)
register(
    AnswerMetric(
        name="citation_completeness",
        titles={"en": "citation completeness", "es": "Afirmaciones con cita", "de": "Aussagen mit Quellenangabe"},
        formula="cited sentences / stating sentences",
        figure=lambda reading: mean(bool(claim.citations) for claim in reading.claims),
        undefined=_NOTHING_STATED,
        is_one_of_quotations=True,
    )
)
register(
    AnswerMetric(
        name="citation_support",
        titles={
            "en": "citation support",
            "es": "Citas comprobadas: la nota dice lo que se afirma",
            "de": "Bestätigte Quellen: Die Notiz sagt das Behauptete",
        },
        formula="citations that the answer path's own check supports / citations of existing sources",
        figure=lambda reading: mean(reading.supported_citations),
        undefined=_NOTHING_CITED,
    )
)
register(
    AnswerMetric(
        name="groundedness",
        titles={"en": "groundedness", "es": "Fidelidad, según el juez", "de": "Belegtheit, laut Richter"},
        formula="sentences that follow from the sources, says the judge / stating sentences",
        figure=lambda reading: reading.judgement.groundedness,
        undefined=_NO_SCORE,
        is_judged=True,
    )
)
register(
    AnswerMetric(
        name="answer_relevance",
        titles={"en": "answer relevance", "es": "Pertinencia, según el juez", "de": "Relevanz, laut Richter"},
        formula="the judge's score from 0 to 10, divided by 10; 0 for a refusal",
        figure=lambda reading: reading.judgement.answer_relevance,
        undefined=_NO_SCORE,
        is_judged=True,
    )
)
register(
    AnswerMetric(
        name="key_facts_by_meaning",
        titles={
            "en": "key facts by meaning",
            "es": "Datos clave dichos, según el juez",
            "de": "Genannte wichtige Angaben, laut Richter",
        },
        formula="key facts stated in any words, says the judge / key facts",
        figure=lambda reading: reading.judgement.key_facts_covered,
        undefined=_NO_SCORE,
        needs="key_facts",
        is_judged=True,
    )
)
register(
    AnswerMetric(
        name="hallucination_score",
        titles={
            "en": "hallucination score (lower is better)",
            "es": "Invenciones, según el juez (menos es mejor)",
            "de": "Erfundenes, laut Richter (weniger ist besser)",
        },
        formula="1 if anything forbidden is said, else 1 - groundedness",
        figure=_hallucination,
        undefined=_NO_SCORE,
        is_judged=True,
    )
)
