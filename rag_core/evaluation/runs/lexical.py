"""An answer read by its words: the facts that it names, and the words that its sentences share with the sources. Pure."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rag_core.answering.verification.citations import citations_by_sentence, without_citations
from rag_core.chunking import sentence_spans
from rag_core.language.content_words import (
    clauses_of,
    content_of,
    function_stems,
    is_number,
    negation_stems,
    stems_of_negations_behind,
    tokens_of,
)
from rag_core.model.answer_reading import ClaimCitation, StatedClaim
from rag_core.model.note import Language

LEAST_COVERAGE = 0.6
"""Least share of a sentence's content in a source for the sentence to be called covered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence of an answer that states something: its content, and the numbers of the sources it cites."""

    text: str
    content: frozenset[str]
    cited: tuple[int, ...]


def says(text: str, phrase: str, language: Language) -> bool:
    """True when a text contains a phrase: its tokens in a row, function words aside, and not directly under a negation.

    So "30 Tage" is in "nach 30 Tagen" and not in "130 Tage"; "gratis" is not in "no es gratis", while a phrase that is
    itself negated ("no es gratis") is. Only a negation beside the phrase and in its clause is seen: before it, in German also
    after it. So "gratis" is in "No, es gratis". '' and a phrase without any word are in no text.
    """
    wanted = tokens_of(phrase, language)
    found = [(token, clause) for clause, tokens in enumerate(clauses_of(text, language)) for token in tokens]
    if any(token not in function_stems(language) for token in wanted):
        silent = function_stems(language) - negation_stems(language)  # negations decide what a phrase says
        wanted = [token for token in wanted if token not in silent]
        found = [placed for placed in found if placed[0] not in silent]
    if not wanted:
        return False
    tokens = [token for token, _ in found]
    starts = range(len(found) - len(wanted) + 1)
    return any(
        tokens[at : at + len(wanted)] == wanted and not _is_negated(found, at, at + len(wanted), language)
        for at in starts
    )


def overlap_tokens(text: str, expected: str, language: Language) -> tuple[Counter[str], Counter[str]]:
    """The tokens of an answer and of the expected one, stemmed; none of the expected one where it has no word.

    Function words are left out, unless the expected answer has no others ("Sí").
    """
    given, wanted = tokens_of(text, language), tokens_of(expected, language)
    if any(token not in function_stems(language) for token in wanted):
        given, wanted = ([one for one in tokens if one not in function_stems(language)] for tokens in (given, wanted))
    return Counter(given), Counter(wanted)


def claims_of(answer: str, language: Language) -> list[Claim]:
    """The sentences of an answer that state something: with a word of content, and neither question nor heading."""
    sentences = sentence_spans(answer, language)
    bare = without_citations(answer)
    cited = citations_by_sentence(answer, sentences)
    claims = [
        Claim(text=bare[start:end].strip(), content=content_of(bare[start:end], language), cited=numbers)
        for (start, end), numbers in zip(sentences, cited, strict=True)
    ]
    return [claim for claim in claims if claim.content and not claim.text.rstrip("*_ ").endswith(("?", ":"))]


def is_covered(claim: Claim, source: Collection[str]) -> bool:
    """True when 0.6 of a claim's content words are in the source, and every number it names is."""
    if any(is_number(token) and token not in source for token in claim.content):
        return False
    return sum(token in source for token in claim.content) >= LEAST_COVERAGE * len(claim.content)


def stated_claims(claims: Sequence[Claim], sources: Mapping[int, str], language: Language) -> tuple[StatedClaim, ...]:
    """Claims held to the texts of the numbered sources; every number a claim cites is judged by itself."""
    context = content_of("\n".join(sources.values()), language)
    content = {number: content_of(text, language) for number, text in sources.items()}
    return tuple(
        StatedClaim(
            is_covered=is_covered(claim, context),
            citations=tuple(
                ClaimCitation(
                    is_existing=number in content, is_covering=number in content and is_covered(claim, content[number])
                )
                for number in claim.cited
            ),
        )
        for claim in claims
    )


def _is_negated(found: Sequence[tuple[str, int]], start: int, end: int, language: Language) -> bool:
    """True when a token beside those from start to end, in their clause, negates them; each token has its clause's number."""
    negations = negation_stems(language)
    if any(token in negations for token, _ in found[start:end]):
        return False
    before = [clause for token, clause in found[max(0, start - 1) : start] if token in negations]
    after = [clause for token, clause in found[end : end + 1] if token in stems_of_negations_behind(language)]
    return found[start][1] in before or found[end - 1][1] in after
