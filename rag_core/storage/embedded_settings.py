"""The embedded server's settings, sized to the machine. ``docs/operations/database.md`` gives the reasons."""

import shutil
from pathlib import Path

import psutil

MEBIBYTE = 1024 * 1024


def settings_for(memory_bytes: int, disk_bytes: int, sockets: Path, *, shared_buffers_mb: int | None) -> dict[str, str]:
    """The server's settings on a machine with that much memory and disk; other settings keep PostgreSQL's defaults."""
    memory_mb = memory_bytes // MEBIBYTE
    buffers_mb = shared_buffers_mb or max(128, min(memory_mb // 8, 2048))
    return {
        "listen_addresses": "",  # the socket only
        "unix_socket_directories": str(sockets),
        "unix_socket_permissions": "0700",  # trust authentication, so nobody else may reach it
        "max_connections": "100",
        "shared_buffers": f"{buffers_mb}MB",
        "effective_cache_size": f"{max(memory_mb // 2, 256)}MB",
        "work_mem": "32MB",
        "maintenance_work_mem": f"{max(64, min(memory_mb // 16, 1024))}MB",  # HNSW builds want their graph in it
        "jit": "off",  # compiling costs more than our short queries take
        "random_page_cost": "1.1",
        "max_parallel_workers_per_gather": "0",  # starting a worker costs more than our short queries take
        "max_wal_size": f"{max(64, min(disk_bytes // MEBIBYTE // 10, 2048))}MB",
        "checkpoint_timeout": "15min",
        "wal_compression": "on",
        "autovacuum_vacuum_insert_scale_factor": "0.05",  # keeps index-only scans index-only
        "autovacuum_naptime": "20s",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "log_min_messages": "warning",
    }


def write_settings(data: Path, sockets: Path, *, shared_buffers_mb: int | None, owner: str | None) -> None:
    """Write ``brain.conf`` beside ``postgresql.conf`` and have it included. The server must not be running."""
    memory, disk = psutil.virtual_memory().total, shutil.disk_usage(data).total
    values = settings_for(memory, disk, sockets, shared_buffers_mb=shared_buffers_mb)
    _write(data / "brain.conf", "".join(f"{name} = {_quoted(value)}\n" for name, value in values.items()), owner)
    main = data / "postgresql.conf"
    include = "include_if_exists = 'brain.conf'"
    text = main.read_text()
    if include not in text:
        _write(main, f"{text.rstrip()}\n{include}\n", owner)


def _write(path: Path, text: str, owner: str | None) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_text(text)
    if owner is not None:
        shutil.chown(fresh, owner)
    fresh.replace(path)


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
