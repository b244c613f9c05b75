"""A source as its sentences nearest to the question. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from rag_core.answering.quoting.sentence_scores import ScoredSentence, score_sentences
from rag_core.chunking import sentence_spans
from rag_core.model.answer import Source
from rag_core.model.note import Language

MAX_SENTENCES = 3
GAP = " … "


def extract_sentences(query: str, sources: Sequence[Source], *, language: Language) -> list[Source]:
    """Each source with its ``MAX_SENTENCES`` best sentences alone, in the order of the note, " … " where some are left out.

    Where fewer have to do with the question, those beside the best one are kept, which tell what it speaks of; a source without
    any keeps its beginning. A text of no more sentences stays as it is.
    """
    scored: dict[int, list[ScoredSentence]] = {source.number: [] for source in sources}
    for sentence in score_sentences(query, sources, language=language, text_of=lambda source: source.text):
        scored[sentence.source.number].append(sentence)
    return [_extracted(source, scored[source.number]) for source in sources]


def _extracted(source: Source, scored: Sequence[ScoredSentence]) -> Source:
    texts = [source.text[start:end].strip() for start, end in sentence_spans(source.text, source.language)]
    if len(texts) <= MAX_SENTENCES:
        return source
    telling = [sentence for sentence in scored if sentence.may_lead and sentence.own]
    middle = min(telling, key=lambda sentence: (-sentence.own, sentence.place)).place if telling else 0
    own = {sentence.place: sentence.own for sentence in telling}
    nearest = sorted(range(len(texts)), key=lambda place: (-own.get(place, 0), abs(place - middle), place))
    return replace(source, text=_joined(texts, sorted(nearest[:MAX_SENTENCES])), matched=None)


def _joined(texts: Sequence[str], places: Sequence[int]) -> str:
    """The sentences of those places, one blank between neighbours."""
    before = [None, *places]
    pieces = [
        ("" if last is None else " " if place == last + 1 else GAP) + texts[place]
        for last, place in zip(before, places, strict=False)
    ]
    return "".join(pieces)
