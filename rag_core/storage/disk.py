"""Room on the disk that holds the embedded server's data.

PostgreSQL crashes where it cannot write its log ahead, and cannot start again before there is room. Bulk writes therefore stop
while some is left. Of a server of somebody else's nothing is known but its own refusals (SQLSTATE 53100).
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from rag_core.errors import DiskFullError

MEBIBYTE = 1024 * 1024
RESERVED_BYTES = 64 * MEBIBYTE
"""A batch of notes with its log, and room for the server to stop and start: a segment of the log has 16 MiB."""
_NEEDED_TO_START_BYTES = 17 * MEBIBYTE


@dataclass(slots=True)
class DiskState:
    """Flag that the server reported a full disk, and has not written since."""

    is_full: bool = False


def disk_full(folder: Path) -> DiskFullError | None:
    """Return the error where less than the reserve is free; None where there is room, or no such folder."""
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return None
    if usage.free >= RESERVED_BYTES:
        return None
    free, total = usage.free / MEBIBYTE, usage.total / MEBIBYTE
    return DiskFullError(
        f"the disk that holds {folder} is full: {free:,.0f} of {total:,.0f} MB are free, {RESERVED_BYTES // MEBIBYTE} MB are "
        "needed to go on"
    )


def require_room(folder: Path) -> None:
    """Go on only where a batch can be written.

    Raises:
        DiskFullError: less is free than is reserved.
    """
    if (error := disk_full(folder)) is not None:
        raise error


def has_room_to_start(folder: Path) -> bool:
    """Tell whether a server that crashed on the full disk can recover, which takes a segment of its log."""
    return shutil.disk_usage(folder).free >= _NEEDED_TO_START_BYTES
