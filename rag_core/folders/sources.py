"""Sources of folders: which are free for one, and which follow a file already."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from rag_core.errors import ConflictError, InvalidInputError
from rag_core.folders.scanning import scan_folder
from rag_core.storage.documents import StoredFolder, WatchedFolder
from rag_core.storage.uploads import SOURCE as UPLOADS


def check_source(source: str) -> None:
    """Go on only with a source that is not the one of uploads.

    Raises:
        InvalidInputError: it is.
    """
    if source == UPLOADS:
        raise InvalidInputError(f"{UPLOADS!r} is the source of uploads; give the folder another one with --source NAME")


def other_folder(source: str, path: str) -> ConflictError:
    """The error for a folder whose source has the files of another one."""
    return ConflictError(
        f"the source {source!r} has the files of {path}; give this folder another one with --source NAME"
    )


def following(folders: Iterable[StoredFolder], path: Path, source: str | None) -> StoredFolder | None:
    """The followed folder that takes what is at a path already; None where none does.

    Of several the one at the path itself, else the one with the source, else the innermost.

    Raises:
        ConflictError: the folder's source is another one than ``source``, where that is given.
    """
    taking = [one for one in folders if one.is_watched and takes(Path(one.path), one.exclude, path)]
    found = max(
        taking,
        key=lambda one: (Path(one.path) == path, one.source == source, len(Path(one.path).parts)),
        default=None,
    )
    if found is not None and source not in (None, found.source):
        raise followed_already(path, found)
    return found


def require_free(folder: WatchedFolder, folders: Iterable[StoredFolder]) -> None:
    """Go on only where no other followed folder takes files of this one, and its source has no other folder.

    Raises:
        ConflictError: one does, or it has.
    """
    path, stored = Path(folder.path), list(folders)
    following(stored, path, folder.source)
    for one in stored:
        if one.source == folder.source:
            if one.path != folder.path and Path(one.path).is_dir():
                raise other_folder(one.source, one.path)
        elif one.is_watched and takes(path, folder.exclude, Path(one.path)):
            raise followed_already(path, one)


def folder_of(path: Path, folders: Iterable[StoredFolder], source: str | None, *, default: str) -> tuple[Path, str]:
    """The folder that a path is imported with, and its source: the followed one that takes it, else its own.

    Raises:
        ConflictError: see ``following``.
    """
    followed = following(folders, path, source)
    if followed is not None:
        return Path(followed.path), followed.source
    own = path if path.is_dir() else path.parent
    return own, source or own.name or default


def followed_already(path: Path, folder: StoredFolder) -> ConflictError:
    """The error for a path whose notes would be made a second time, in another source."""
    return ConflictError(
        f"files of {path} are followed already with {folder.path} as source {folder.source!r}; leave them to it, "
        "or let it go first with `brain folder remove --delete-notes`"
    )


def require_own_options(folder: StoredFolder, *, exclude: Sequence[str], language: str | None) -> None:
    """Go on only without options that would hold until the next change: a followed folder keeps those it was added with.

    Raises:
        InvalidInputError: there are any.
    """
    if exclude or language is not None:
        raise InvalidInputError(
            f"{folder.path} is followed as source {folder.source!r}, so --exclude and --language are given with "
            "`brain folder add` for the whole folder; import without them"
        )


def takes(folder: Path, exclude: Sequence[str], path: Path) -> bool:
    """Test whether a folder is at a path, or any of its files is there or below."""
    if not path.is_relative_to(folder):
        return False
    return path == folder or any(file.file.is_relative_to(path) for file in scan_folder(folder, exclude=exclude))
