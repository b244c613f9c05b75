"""Golden sets: questions with the notes that answer them, and the runs that later ones are compared with."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rag_core.cli.app import JsonOption, TenantOption, command, golden_app, print_json, say, table
from rag_core.cli.importing import lines_of
from rag_core.cli.messages import headings, localised, tr
from rag_core.cli.runs import named_run, run_name, short_id

if TYPE_CHECKING:
    from rag_core.evaluation.golden.importing import GoldenImport
    from rag_core.evaluation.golden.statistics import GoldenStatistics, SetContents
    from rag_core.model.note import TenantId
    from rag_core.storage.database import Database
    from rag_core.storage.golden import GoldenSetSummary

SetOption = Annotated[str, typer.Option("--set", help="Name of the golden set.")]
QueriesArgument = Annotated[
    list[str], typer.Argument(metavar="QUERY...", help="Ids or external ids, as brain golden export writes them.")
]
VocabularyOption = Annotated[
    Literal["brain_sync", "rag_v2"] | None,
    typer.Option("--vocabulary", help="Of a new set; default: that of the first query."),
]


@golden_app.command("import")
def import_golden_set(
    file: Annotated[Path, typer.Argument(help="JSON lines, or a JSON array or document.")],
    set_name: Annotated[
        str | None, typer.Option("--set", help="Name of the golden set; default: the document's, else `default`.")
    ] = None,
    vocabulary: VocabularyOption = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Take queries with the notes that answer them; of a query that is there already the line's fields are changed.

    Fields that the line leaves out stay as they are, null or [] clears them.

    Each line: {"query": "…", "relevant_ids": ["2025-03-01"], "answer": "…", "category": "factual", "difficulty": 2}; query
    and relevant_ids are required. A question that the notes do not answer has "relevant_ids": [] and "answerable": false.
    Instead of relevant_ids there may be "relevance": [{"id": "2025-03-01", "grade": 3, "spans": [{"quote": "…"}]}];
    docs/evaluation/golden-sets.md has the other fields.
    """
    from rag_core.errors import InvalidInputError
    from rag_core.evaluation.golden.files import read_golden_file
    from rag_core.evaluation.golden.importing import import_golden
    from rag_core.model.golden import DEFAULT_SET
    from rag_core.notes.importing import has_any_line
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json):
        if not file.is_file():
            raise InvalidInputError(f"there is no file {file}; give the path of a file of JSON lines")
        if not has_any_line(file):
            raise InvalidInputError(f"{file} is empty; expected golden queries, one a line")
        with open_engine(read_settings()) as engine, file.open("rb") as stream:
            found = read_golden_file(stream)
            report = import_golden(
                engine.database,
                engine.writing_tenant(tenant),
                found.lines,
                set_name=set_name or found.set_name or DEFAULT_SET,
                vocabulary=vocabulary or found.vocabulary,
            )
        _show_imported(report, is_json=is_json)
        if report.rejected and not report.imported:
            raise typer.Exit(1)


def _show_imported(report: "GoldenImport", *, is_json: bool) -> None:
    if is_json:
        rejected = [{"line": number, "error": localised(error)} for number, error in report.rejected]
        print_json({"imported": report.imported, "rejected": rejected})
        return
    new, same = report.changed - report.updated, report.imported - report.changed
    taken = tr("{new} new, {updated} updated, {same} unchanged", new=new, updated=report.updated, same=same)
    print(
        tr(
            "imported {imported} ({taken})  rejected {rejected}",
            imported=report.imported,
            taken=taken,
            rejected=report.rejected_count,
        )
    )
    for problem in report.problems:
        say(f"  {lines_of(problem)}: {localised(problem.text)}")


@golden_app.command("export")
def export_golden_set(
    set_name: SetOption = "default",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to write: a document if it ends in .json, else lines; default: stdout."
        ),
    ] = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Write a golden set as JSON lines (with --json as one document), everything kept, ready to be imported again."""
    import json

    from rag_core.evaluation.golden.exporting import export_document
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json), open_engine(read_settings()) as engine:
        document = export_document(engine.database, engine.named_tenant(tenant), set_name=set_name)
        lines = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in document["queries"])
        if output is not None:
            is_document = output.suffix.lower() == ".json"
            whole = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
            output.write_text(whole if is_document else lines, encoding="utf-8")
        if is_json:
            print_json(document)
        elif output is None:
            print(lines, end="")


@golden_app.command("list")
def list_sets(tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """List the golden sets with what they hold."""
    from rag_core.runtime.engine import open_engine
    from rag_core.runtime.homes import read_settings_to_read
    from rag_core.storage.golden import list_golden_sets

    with command(is_json=is_json), open_engine(read_settings_to_read()) as engine:
        owner = engine.named_tenant(tenant)
        with engine.database.transaction(owner) as connection:
            found = list_golden_sets(connection, owner)
        if is_json:
            print_json({"sets": [_summary_to_json(one) for one in found]})
        elif found:
            headers = headings(
                "set", "vocabulary", "version", "queries", "unanswerable", "no notes", "verified", "with spans"
            )
            table(tr("golden sets"), headers, [_summary_row(one) for one in found])
        else:
            say(
                tr(
                    "no golden set yet; brain golden import FILE makes one, brain golden propose drafts questions for it"
                )
            )


def _summary_to_json(summary: "GoldenSetSummary") -> dict[str, Any]:
    golden = summary.golden
    return {
        "set": golden.name,
        "set_id": str(golden.id),
        "vocabulary": golden.vocabulary,
        "version": golden.version,
        "queries": summary.queries,
        "unanswerable": summary.unanswerable,
        "without_notes": summary.queries - summary.askable - summary.unanswerable,
        "verified": summary.verified,
        "with_spans": summary.with_spans,
        "updated_at": golden.updated_at.isoformat(),
    }


def _summary_row(summary: "GoldenSetSummary") -> list[str]:
    fields = _summary_to_json(summary)
    names = ("set", "vocabulary", "version", "queries", "unanswerable", "without_notes", "verified", "with_spans")
    return [str(fields[name]) for name in names]


@golden_app.command("coverage")
def show_coverage(set_name: SetOption = "default", tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Count a set's queries by category and difficulty, beside the least there should be, and say what is missing.

    A set of rag_v2 should have so many of each category, 85 in all; one of brain_sync 50 in all.
    """
    from rag_core.evaluation.golden.statistics import fetch_set_contents
    from rag_core.runtime.engine import open_engine
    from rag_core.runtime.homes import read_settings_to_read

    with command(is_json=is_json), open_engine(read_settings_to_read()) as engine:
        contents = fetch_set_contents(engine.database, engine.named_tenant(tenant), set_name=set_name)
        found = contents.statistics()
        if is_json:
            print_json(_coverage_to_json(contents, found))
        else:
            _show_coverage(contents, found)


def _coverage_to_json(contents: "SetContents", found: "GoldenStatistics") -> dict[str, Any]:
    return {
        "set": contents.name,
        "vocabulary": contents.vocabulary,
        "version": contents.golden.version if contents.golden else 0,
        "total_queries": found.total_queries,
        "unanswerable": found.unanswerable,
        "without_notes": found.without_notes,
        "verified": found.verified,
        "retrieval_only": found.retrieval_only,
        "with_spans": found.with_spans,
        "lost_spans": found.lost_spans,
        "coverage": [
            {
                "category": one.category,
                "total": one.total,
                "by_difficulty": dict(one.by_difficulty),
                "minimum": one.minimum,
                "missing": one.missing,
            }
            for one in found.coverage
        ],
        "minimum": found.minimum,
        "missing": found.missing,
    }


def _show_coverage(contents: "SetContents", found: "GoldenStatistics") -> None:
    words = list(found.by_difficulty)
    rows = [
        [
            one.category,
            *(str(one.by_difficulty[word]) for word in words),
            str(one.total),
            "" if one.minimum is None else str(one.minimum),
            str(one.missing or ""),
        ]
        for one in found.coverage
    ]
    totals = [str(found.by_difficulty[word]) for word in words]
    askable = found.total_queries - found.without_notes - found.unanswerable
    rows.append([tr("all"), *totals, str(askable), str(found.minimum), str(found.missing or "")])
    table(
        f"{contents.name} ({contents.vocabulary})",
        [tr("category"), *words, tr("queries"), tr("minimum"), tr("missing")],
        rows,
    )
    if found.unanswerable:
        say(tr("Unanswerable queries: {queries:,}. A refusal is right", queries=found.unanswerable))
    if found.without_notes:
        say(
            tr(
                "Queries never asked: {queries:,}. Every note that answered them is deleted",
                queries=found.without_notes,
            )
        )
    if found.lost_spans:
        say(tr("Lost spans: {spans:,}. No note holds the quote any more", spans=found.lost_spans))


@golden_app.command("remove")
def remove_queries(
    queries: QueriesArgument, set_name: SetOption = "default", tenant: TenantOption = None, is_json: JsonOption = False
) -> None:
    """Remove queries from a golden set; their notes stay."""
    from rag_core.evaluation.golden.edits import delete_golden_query, find_query_ids
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json), open_engine(read_settings()) as engine:
        owner = engine.named_tenant(tenant)
        found = find_query_ids(engine.database, owner, queries, set_name=set_name)
        for query_id in found:
            delete_golden_query(engine.database, owner, query_id)
        if is_json:
            print_json({"removed": [str(query_id) for query_id in found]})
        else:
            print(tr("removed {found}", found=len(found)))


@golden_app.command("verify")
def verify_queries(
    queries: QueriesArgument,
    by: Annotated[str, typer.Option("--by", help="Who checked that the notes answer the question.")],
    set_name: SetOption = "default",
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Note who verified queries; another question, answer or relevance takes the verification away.

    Example: brain golden verify g1 g2 --by Lucía
    """
    from rag_core.evaluation.golden.edits import find_query_ids, verify_golden_query
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json), open_engine(read_settings()) as engine:
        owner = engine.named_tenant(tenant)
        found = find_query_ids(engine.database, owner, queries, set_name=set_name)
        for query_id in found:
            verify_golden_query(engine.database, owner, query_id, by=by)
        if is_json:
            print_json({"verified": [str(query_id) for query_id in found], "by": by})
        else:
            print(tr("verified {found}", found=len(found)))


@golden_app.command("baseline")
def promote_baselines(
    runs: Annotated[
        list[str] | None,
        typer.Argument(parser=run_name, metavar="[RUN]...", help="Runs to promote, as brain runs lists them."),
    ] = None,
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Promote runs to baselines of their golden set and strategy, for others to be compared with; without RUN list them.

    The first nightly evaluation makes baselines by itself. Promote a run when its level is the one to hold from now on.

    Example: brain golden baseline 0b5c7a52-9f0e-4a55-8b64-5d3a3a1c2f10
    """
    from rag_core.evaluation.runs.baselines import promote_baseline
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings

    with command(is_json=is_json), open_engine(read_settings()) as engine:
        owner = engine.named_tenant(tenant)
        for run_id in runs or []:
            promote_baseline(engine.database, owner, named_run(engine.database, owner, run_id))
        baselines = _baselines(engine.database, owner)
        if is_json:
            print_json({"baselines": baselines})
        elif baselines:
            _show_baselines(baselines)
        else:
            say(tr("no baselines yet; brain evaluate makes a run, brain golden baseline RUN promotes it"))


def _baselines(database: "Database", tenant: "TenantId") -> list[dict[str, Any]]:
    from rag_core.storage.evaluations import fetch_run, list_baselines

    with database.transaction(tenant) as connection:
        found = [(one, fetch_run(connection, tenant, one.run_id)) for one in list_baselines(connection, tenant)]
    return [
        {
            "set": baseline.set_name,
            "strategy": baseline.strategy,
            "run_id": str(baseline.run_id),
            "is_automatic": baseline.is_automatic,
            "promoted_at": baseline.promoted_at.isoformat(),
            "total_queries": run.total_queries,
            "ndcg_at_10": run.metrics.ndcg_at_10,
            "mrr": run.metrics.mrr,
            "hit_rate_at_10": run.metrics.hit_rate_at[10],
        }
        for baseline, run in found
    ]


def _show_baselines(baselines: list[dict[str, Any]]) -> None:
    rows = [
        [
            one["set"],
            one["strategy"],
            short_id(one["run_id"]),
            f"{one['ndcg_at_10']:.3f}",
            f"{one['mrr']:.3f}",
            f"{one['hit_rate_at_10']:.3f}",
            f"{one['promoted_at'][:10]} {tr('by itself') if one['is_automatic'] else tr('promoted')}",
        ]
        for one in baselines
    ]
    table(
        tr("baselines"),
        [tr("set"), tr("strategy"), tr("run"), "nDCG@10", "MRR", tr("hit rate @10"), tr("since")],
        rows,
        whole=(2,),
    )
