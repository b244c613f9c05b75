"""Notices that a home is given once."""

from pathlib import Path

from rag_core.home.private_files import open_private


def is_new_notice(home: Path, name: str) -> bool:
    """True the first time in this home; a file with the notice's name remembers it."""
    try:
        open_private(home / f"{name}.told", "x").close()
    except FileExistsError:
        return False
    return True
