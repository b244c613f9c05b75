"""View of one golden query's results, beside those of another run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID
from zoneinfo import ZoneInfo

from rag_core.api.pages.cards import title_of
from rag_core.api.pages.evaluation.views import words
from rag_core.api.pages.evaluation.views.parts import RUNS_ADDRESS
from rag_core.api.pages.evaluation.views.run import Fact
from rag_core.api.pages.texts import Texts, day_of, headings, tr
from rag_core.model.answer_metrics import AnswerRecord
from rag_core.model.evaluation import QueryResult, StoredRun
from rag_core.model.golden import GoldenQuery
from rag_core.model.note import NoteId
from rag_core.storage.reports import NoteTitle

GRADES = Texts({1: "responde en parte", 2: "responde", 3: "la mejor"})
APPENDIX_DEPTH = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownNotes:
    """The notes that still exist, and the zone their dates are written in."""

    titles: Mapping[NoteId, NoteTitle]
    zone: ZoneInfo

    def title(self, note_id: NoteId) -> str:
        """Title of the note."""
        known = self.titles.get(note_id)
        return tr("nota borrada") if known is None else title_of(known.title)

    def address(self, note_id: NoteId) -> str:
        """Its page; empty when it is deleted."""
        return f"/notas/{note_id}" if note_id in self.titles else ""

    def date(self, note_id: NoteId) -> str:
        """Date of the note."""
        known = self.titles.get(note_id)
        return "" if known is None else day_of(known.created_at, self.zone)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedNote:
    """A note in a ranking: its place here, and in the other ranking beside it; 0 when it is in none."""

    title: str
    address: str
    date: str
    is_relevant: bool
    grade: str
    place: int = 0
    moved: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """Results of one run for the query."""

    address: str
    when: str
    strategy: str
    notes: tuple[RankedNote, ...]
    missing: tuple[RankedNote, ...]
    figures: tuple[Fact, ...]
    state: str
    answer: str
    answer_figures: tuple[Fact, ...]
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenPassage:
    """Place of the answer in a note."""

    title: str
    address: str
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryReport:
    """One query of one run, or of two."""

    query: str
    category: str
    difficulty: int
    expected_answer: str
    key_facts: tuple[str, ...]
    passages: tuple[GoldenPassage, ...]
    sheets: tuple[Sheet, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendixSide:
    """A query's first notes in one run, and the relevant ones that are not in its ranking at all."""

    name: str
    notes: tuple[RankedNote, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendixSheet:
    """A query's results at the end of a report in one file."""

    anchor: str
    query: str
    sides: tuple[AppendixSide, ...]


def query_report(
    asked: Sequence[tuple[StoredRun, QueryResult]], notes: KnownNotes, golden: GoldenQuery | None
) -> QueryReport:
    """The query as one run asked it, or as a baseline and then another run did; ``golden`` is None when it was removed."""
    first = asked[0][1]
    names = headings("Antes", "Después") if len(asked) > 1 else ("",)
    sides = (_sheet(run, result, _others(asked, index), notes) for index, (run, result) in enumerate(asked))
    return QueryReport(
        query=first.query,
        category=words.category(first.category),
        difficulty=first.difficulty,
        expected_answer=golden.expected_answer if golden else "",
        key_facts=golden.key_facts if golden else (),
        passages=tuple(_passages(golden, notes)),
        sheets=tuple(replace(sheet, name=name) for name, sheet in zip(names, sides, strict=True)),
    )


def appendix_sheet(sides: Sequence[tuple[str, QueryResult]], notes: KnownNotes) -> AppendixSheet:
    """A query's first ten notes in each run, which have names when there are several."""
    first = sides[0][1]
    return AppendixSheet(
        anchor=query_anchor(first.query_id),
        query=" ".join(first.query.split()),
        sides=tuple(
            AppendixSide(
                name=name,
                notes=_ranked(result, None, notes)[:APPENDIX_DEPTH],
                missing=tuple(note.title for note in _missing(result, notes)),
            )
            for name, result in sides
        ),
    )


def query_anchor(query_id: UUID) -> str:
    """Anchor of the query's results in a report of one file."""
    return f"consulta-{query_id}"


def _ranked(result: QueryResult, others: Mapping[NoteId, int] | None, notes: KnownNotes) -> tuple[RankedNote, ...]:
    """The notes in their order; ``others`` are the places in the ranking beside it, None when there is none."""
    found = []
    for place, note_id in enumerate(result.ranked_note_ids, 1):
        moved = "" if others is None else _moved(place, others.get(note_id))
        found.append(replace(_note(note_id, result, notes), place=place, moved=moved))
    return tuple(found)


def _missing(result: QueryResult, notes: KnownNotes) -> tuple[RankedNote, ...]:
    """The relevant notes that are not in the ranking."""
    absent = [note_id for note_id in result.relevant_note_ids if note_id not in result.ranked_note_ids]
    return tuple(_note(note_id, result, notes) for note_id in absent)


def _others(asked: Sequence[tuple[StoredRun, QueryResult]], index: int) -> dict[NoteId, int] | None:
    if len(asked) < 2:
        return None
    return {note_id: place for place, note_id in enumerate(asked[1 - index][1].ranked_note_ids, 1)}


def _note(note_id: NoteId, result: QueryResult, notes: KnownNotes) -> RankedNote:
    is_relevant = note_id in result.relevant_note_ids
    return RankedNote(
        title=notes.title(note_id),
        address=notes.address(note_id),
        date=notes.date(note_id),
        is_relevant=is_relevant,
        grade=GRADES[result.grades.get(note_id, 1)] if is_relevant and result.grades else "",
    )


def _moved(place: int, other: int | None) -> str:
    """Place of the note in the other ranking."""
    return tr("solo aquí") if other is None else "=" if other == place else tr("allí n.º {rank}", rank=other)


def _sheet(run: StoredRun, result: QueryResult, others: Mapping[NoteId, int] | None, notes: KnownNotes) -> Sheet:
    answer = result.answer
    return Sheet(
        address=f"{RUNS_ADDRESS}/{run.run_id}",
        when=words.moment(run.created_at, notes.zone),
        strategy=words.strategy(run.strategy),
        notes=_ranked(result, others, notes),
        missing=_missing(result, notes),
        figures=tuple(_figures(result)),
        state=_failed(result.error) if result.error else tr("Degradada") if result.is_degraded else "",
        answer="" if answer is None else answer.text or _failed(answer.error),
        answer_figures=() if answer is None else tuple(_answer_figures(answer)),
    )


def _failed(reason: str | None) -> str:
    return tr("Falló: {reason}", reason=reason)


def _answer_figures(answer: AnswerRecord) -> list[Fact]:
    return [
        Fact(name=words.metric(metric), value=words.figure(value))
        for metric, value in answer.scores.items()
        if value is not None
    ]


def _figures(result: QueryResult) -> list[Fact]:
    found = [
        Fact(name="nDCG@10", value=words.figure(result.ndcg_at_10)),
        Fact(name=tr("Primera nota buena"), value=words.rank(result.first_relevant_rank)),
        Fact(name=tr("Exhaustividad@20"), value=words.figure(result.recall_at_20)),
        Fact(name=tr("Latencia"), value=words.milliseconds(result.latency_ms)),
    ]
    if result.u_measure is not None:
        found.append(Fact(name="U-measure", value=words.figure(result.u_measure)))
        found.append(Fact(name=tr("Primer pasaje que responde"), value=words.rank(result.first_passage_rank)))
    if result.is_confident is not None:
        found.append(Fact(name=tr("Llega al umbral"), value=words.SPOKEN[result.is_confident]))
    return found


def _passages(golden: GoldenQuery | None, notes: KnownNotes) -> list[GoldenPassage]:
    return [
        GoldenPassage(title=notes.title(one.note_id), address=notes.address(one.note_id), quote=span.quote)
        for one in (golden.relevance if golden else ())
        for span in one.spans
    ]
