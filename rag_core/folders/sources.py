"""Sources of folders: which are free for one."""

from rag_core.errors import ConflictError, InvalidInputError
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
