"""`brain import`: notes from JSON lines, from folders, from documents."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import (
    JsonOption,
    TenantOption,
    app,
    command,
    names_like,
    own_tenant,
    print_json,
    progress,
    say,
    say_waiting,
)
from rag_core.cli.messages import label, localised, tr
from rag_core.language import LANGUAGES

if TYPE_CHECKING:
    from rag_core.folders.comparing import FileOutcome, FolderReport
    from rag_core.model.note import TenantId
    from rag_core.notes.importing import ImportReport, Problem
    from rag_core.settings import Settings
    from rag_core.storage.database import Database

FIRST_FILES_TOLD = 3
DEFAULT_SOURCE = "notes"
LINE_SUFFIXES = (".jsonl", ".ndjson", ".json")


def _language(value: str | None) -> str | None:
    if value is not None and value not in LANGUAGES:
        raise typer.BadParameter(f"{value!r} is not one of {', '.join(LANGUAGES)}")
    return value


NoteLanguageOption = Annotated[
    str | None, typer.Option(callback=_language, help="es, de or en; default: the line's, then detected.")
]


ExcludeOption = Annotated[
    list[str] | None, typer.Option(help="Files of a folder to leave out, as in .gitignore; can be repeated.")
]
SourceOption = Annotated[
    str | None,
    typer.Option(
        help="Where the notes come from; ids are unique within it. Default: the folder's name; for JSON lines `notes`."
    ),
]
ConfirmOption = Annotated[
    bool, typer.Option("--confirm-removals", help="With --prune: even where most files are gone, or the folder moved.")
]


@dataclass(slots=True, kw_only=True)
class _Imported:
    """Reports of all paths of one command."""

    lines: "list[tuple[Path, ImportReport]]" = field(default_factory=list)
    folders: "list[tuple[str, FolderReport]]" = field(default_factory=list)
    chunks: dict[tuple[str, str], int] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of notes by what became of them."""
        folders = [report for _, report in self.folders]
        lines = [report for _, report in self.lines]
        return {
            "imported": sum(one.imported for one in lines) + sum(one.count("imported") for one in folders),
            "updated": sum(one.updated for one in lines) + sum(one.count("updated") for one in folders),
            "unchanged": sum(one.unchanged for one in lines) + sum(one.count("unchanged") for one in folders),
            "removed": sum(one.count("removed") for one in folders),
        }

    @property
    def rejected_count(self) -> int:
        """Number of lines and files that were not taken."""
        return sum(one.rejected_count for _, one in self.lines) + sum(
            one.count("refused", "failed") for _, one in self.folders
        )

    @property
    def is_new_tenant(self) -> bool:
        """True where the tenant was made by this command."""
        lines = any(report.is_new_tenant for _, report in self.lines)
        return lines or any(report.is_new_tenant for _, report in self.folders)


@app.command("ingest", hidden=True)
@app.command("import")
def import_notes(
    paths: Annotated[
        list[Path],
        typer.Argument(help="Folders, documents, or files of JSON lines; `-` is not taken.", metavar="PATH"),
    ],
    source: SourceOption = None,
    language: NoteLanguageOption = None,
    tenant: TenantOption = None,
    exclude: ExcludeOption = None,
    prunes: Annotated[bool, typer.Option("--prune", help="Delete notes whose files are gone from the folder.")] = False,
    is_confirmed: ConfirmOption = False,
    is_json: JsonOption = False,
) -> None:
    """Take notes and documents; they are found by their words at once, by meaning after `brain index`.

    A folder is taken with its subfolders: Markdown as notes (front matter, #tags and [[links]] are read), and pdf, docx, pptx,
    xlsx, csv, html, odt, ods, eml, epub and txt as documents. Left out are hidden files, folders of templates, and what .gitignore
    names. Importing again takes only what changed; a renamed file keeps its note.

    A line of JSON: {"id": "2025-03-01", "text": "…", "title": "…", "created_at": "2025-03-01T21:00", "tags": ["…"]}; id and
    text are required, other fields become metadata. Bad lines and files are listed and the good ones go in.

    Example: brain import ~/Notas factura.pdf diario.jsonl
    """
    from rag_core.settings import read_settings
    from rag_core.storage.batches import has_unindexed_notes, list_tenants
    from rag_core.storage.database import open_database

    with command(is_json=is_json):
        settings = read_settings()
        _require(paths, settings)
        owner = own_tenant(settings, tenant)
        options = {"exclude": exclude or (), "prunes": prunes, "is_confirmed": is_confirmed}
        with open_database(settings) as database:
            imported = _import_all(database, owner, paths, settings, source=source, language=language, **options)
            if is_json:
                imported.chunks = _chunks(database, owner, imported)
            near = names_like(owner, list_tenants(database), settings) if imported.is_new_tenant else []
            is_index_needed = has_unindexed_notes(database, owner)
        if is_json:
            print_json(_details(imported))
        else:
            _show(imported)
            if imported.is_new_tenant:
                say(_made(owner, near))
            if is_index_needed:
                say(_how_indexed(settings.home))
        if imported.rejected_count and not sum(imported.counts.values()):
            raise typer.Exit(1)


def _how_indexed(home: Path) -> str:
    """By whom the notes are indexed: by `brain up` where it runs, else by a command."""
    from rag_core.operation.running_parts import read_parts

    if read_parts(home):
        return tr("`brain up` runs and indexes them; then they are found by meaning too.")
    return tr("Run `brain index` to find all of them by meaning too.")


def _import_all(
    database: "Database",
    owner: "TenantId",
    paths: Sequence[Path],
    settings: "Settings",
    *,
    source: str | None,
    language: str | None,
    **options: Any,
) -> _Imported:
    imported = _Imported()
    for path in paths:
        if _is_of_lines(path):
            report = _import_lines(database, owner, path, settings, source=source, language=language)
            imported.lines.append((path, report))
        else:
            name, found = _import_folder(database, owner, path, settings, source=source, language=language, **options)
            imported.folders.append((name, found))
    return imported


def _is_of_lines(path: Path) -> bool:
    """Tell a file of JSON lines: any file that is no document by its suffix."""
    from rag_core.parsing.recognising import is_supported_name

    return not path.is_dir() and not is_supported_name(path.name)


def _require(paths: Sequence[Path], settings: "Settings") -> None:
    """Go on only with paths that can be imported; nothing is taken where one cannot."""
    from rag_core.errors import InvalidInputError
    from rag_core.notes.importing import require_note_lines

    for path in paths:
        if not path.exists() and path.suffix.lower() not in LINE_SUFFIXES:
            raise InvalidInputError(f"there is no file or folder {path}")
        if _is_of_lines(path):
            require_note_lines(path, max_characters=settings.max_note_characters)


def _import_lines(
    database: "Database",
    owner: "TenantId",
    file: Path,
    settings: "Settings",
    *,
    source: str | None,
    language: str | None,
) -> "ImportReport":
    from rag_core.notes.importing import import_lines, line_bytes, read_lines

    size = file.stat().st_size
    with file.open("rb") as lines, progress(tr("importing {name}", name=file.name), size) as advance:
        return import_lines(
            database,
            owner,
            read_lines(lines, max_bytes=line_bytes(settings.max_note_characters)),
            source=source or DEFAULT_SOURCE,
            language=language,
            zone=settings.zone,
            max_characters=settings.max_note_characters,
            on_progress=advance,
            on_waiting=say_waiting,
            file_bytes=size,
        )


def _import_folder(
    database: "Database",
    owner: "TenantId",
    path: Path,
    settings: "Settings",
    *,
    source: str | None,
    language: str | None,
    exclude: Sequence[str],
    prunes: bool,
    is_confirmed: bool,
) -> "tuple[str, FolderReport]":
    """Import a folder, or a document as a file of its folder, with the followed folder that takes it; its source and the report.

    Raises:
        InvalidInputError: the folder has no file, and never had one; or a followed folder is given options.
        ConflictError: the followed folder has another source than the given one.
    """
    from rag_core.errors import InvalidInputError
    from rag_core.folders.opening import open_folder_import
    from rag_core.folders.scanning import scan_folder
    from rag_core.folders.sources import folder_of, require_own_options
    from rag_core.storage.documents import list_folders

    path = path.resolve()
    with database.transaction(owner) as connection:
        folders = list_folders(connection, owner)
    folder, name = folder_of(path, folders, source, default=DEFAULT_SOURCE)
    stored = next((one for one in folders if one.source == name), None)
    if stored is not None and stored.is_watched:
        require_own_options(stored, exclude=exclude, language=language)
        exclude, language = stored.exclude, stored.language
    size = sum(file.size for file in scan_folder(folder, exclude=exclude)) if path.is_dir() else path.stat().st_size
    with (
        progress(tr("importing {name}", name=path.name), size) as advance,
        open_folder_import(
            settings, database, owner, source=name, language=language, on_progress=advance, on_waiting=say_waiting
        ) as folder_import,
    ):
        report = folder_import.run(
            folder,
            only=None if path.is_dir() else str(path.relative_to(folder)),
            exclude=exclude,
            prunes=prunes and path == folder,
            is_confirmed=is_confirmed,
        )
    if not report.files and not report.withheld:
        raise InvalidInputError(f"{path} holds no file that can be imported")
    return name, report


def _chunks(database: "Database", owner: "TenantId", imported: _Imported) -> dict[tuple[str, str], int]:
    """Number of chunks of each file whose note is indexed, by source and path."""
    from rag_core.storage.documents import count_chunks

    with database.transaction(owner) as connection:
        return {
            (name, path): count
            for name, _ in imported.folders
            for path, count in count_chunks(connection, owner, name).items()
        }


def _show(imported: _Imported) -> None:
    counts = imported.counts | {"rejected": imported.rejected_count}
    print("  ".join(f"{label(name)} {count}" for name, count in counts.items() if count or name != "removed"))
    for file, report in imported.lines:
        named = f"{file.name}: " if len(imported.lines) > 1 else ""
        for problem in (*report.problems, *report.warnings):
            say(f"  {named}{lines_of(problem)}: {localised(problem.text)}")
    for name, found in imported.folders:
        _show_folder(name, found)


def tell_messages(files: "Sequence[FileOutcome]") -> None:
    """Print each error and warning once, with the first files that have it."""
    for message, paths in _by_message(files):
        more = len(paths) - FIRST_FILES_TOLD
        told = ", ".join(paths[:FIRST_FILES_TOLD]) + (tr(" and {more:,} more", more=more) if more > 0 else "")
        say(f"  {told}: {localised(message)}")


def _show_folder(name: str, report: "FolderReport") -> None:
    tell_messages(report.files)
    if report.withheld:
        say(
            tr(
                "Nothing was deleted from {name}: {reason}. With --confirm-removals the notes of {count} files are.",
                name=name,
                reason=localised(report.withheld_reason),
                count=len(report.withheld),
            )
        )


def _by_message(files: "Sequence[FileOutcome]") -> Iterator[tuple[str, list[str]]]:
    """Errors and warnings, each with the files that have it."""
    found: dict[str, list[str]] = {}
    for file in files:
        for message in ([file.error] if file.error else []) + list(file.warnings):
            found.setdefault(message, []).append(file.path)
    yield from found.items()


def _details(imported: _Imported) -> dict[str, Any]:
    lines = [report for _, report in imported.lines]
    return {
        **imported.counts,
        "rejected": [*_rejected_lines(imported), *_rejected_files(imported)],
        "rejected_count": imported.rejected_count,
        "problems": [
            {"error": localised(one.text), "count": one.count, "lines": one.lines}
            for report in lines
            for one in report.problems
        ],
        "warnings": [
            {"warning": localised(one.text), "count": one.count, "lines": one.lines}
            for report in lines
            for one in report.warnings
        ],
        "is_new_tenant": imported.is_new_tenant,
        "files": [
            _file(file, imported.chunks.get((name, file.path)))
            for name, report in imported.folders
            for file in report.files
        ],
        "withheld": [
            {"source": name, "reason": localised(report.withheld_reason), "paths": list(report.withheld)}
            for name, report in imported.folders
            if report.withheld
        ],
    }


def _rejected_lines(imported: _Imported) -> Iterator[dict[str, Any]]:
    for file, report in imported.lines:
        named = {"file": str(file)} if len(imported.lines) > 1 else {}
        for each in report.rejected:
            yield named | asdict(each) | {"error": localised(each.error)}


def _rejected_files(imported: _Imported) -> Iterator[dict[str, Any]]:
    for _, report in imported.folders:
        for file in report.files:
            if file.error:
                yield {"path": file.path, "error": localised(file.error)}


def _file(file: "FileOutcome", chunks: int | None) -> dict[str, Any]:
    shown = {
        "path": file.path,
        "status": file.status,
        "parser": file.parser,
        "pages": file.pages,
        "chunks": chunks,
        "warnings": [localised(warning) for warning in file.warnings],
    }
    return shown | ({"error": localised(file.error)} if file.error else {})


def lines_of(problem: "Problem") -> str:
    """The first lines of a problem, and how many more have it."""
    more = problem.count - len(problem.lines)
    numbers = ", ".join(map(str, problem.lines)) + (tr(" and {more:,} more", more=more) if more else "")
    return tr("line {numbers}", numbers=numbers) if problem.count == 1 else tr("lines {numbers}", numbers=numbers)


def _made(tenant: "TenantId", near: list[str]) -> str:
    meant = (
        tr(" If {near} was meant, `brain tenant delete {tenant}` removes it.", near=" or ".join(near), tenant=tenant)
        if near
        else ""
    )
    return tr("The tenant {tenant} did not exist and was created.{meant}", tenant=tenant, meant=meant)
