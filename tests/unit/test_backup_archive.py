"""The file of a backup: whole, or refused."""

import json
import os
import stat
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_core.backup.archive import (
    FORMAT,
    AppliedMigration,
    ArchiveError,
    Manifest,
    TableEntry,
    new_archive,
    open_archive,
)
from rag_core.backup.progress import BackupProgress
from rag_core.errors import ConflictError, InvalidInputError

ROWS = {"notes": b"El paraguas verde se qued\xf3 en el museo. " * 200, "tenants": b"pruebas"}


def write(path: Path, *, is_overwriting: bool = False, file_format: int = FORMAT) -> None:
    with new_archive(path, is_overwriting=is_overwriting) as archive:
        entries = []
        for name, content in ROWS.items():
            with archive.table(name) as table:
                for at in range(0, len(content), 7):
                    table.write(content[at : at + 7])
            entries.append(
                TableEntry(
                    name=name, columns=("a", "b"), rows=3, bytes=table.bytes, sha256=table.sha256, computed_sha256=""
                )
            )
        archive.finish(
            Manifest(
                format=file_format,
                created_at="2025-03-01T10:00:00+00:00",
                server_version="18.4",
                pgvector_version="0.8.5",
                migrations=(AppliedMigration(version=1, name="core", checksum="c"),),
                tables=tuple(entries),
                sequences={"a_seq": 7},
            )
        )


def read(path: Path) -> tuple[Manifest, dict[str, bytes]]:
    with open_archive(path) as archive:
        return archive.manifest, {t.name: b"".join(archive.blocks(t)) for t in archive.manifest.tables}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "brain.zip"
    write(path)
    return path


def test_what_was_written_is_read(file: Path) -> None:
    manifest, rows = read(file)

    assert rows == ROWS
    assert (manifest.schema_version, manifest.sequences, manifest.total_bytes) == (1, {"a_seq": 7}, 8007)


def test_only_its_owner_may_read_it(file: Path) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_that_is_there_is_kept_unless_overwriting_is_asked_for(file: Path) -> None:
    before = file.read_bytes()

    with pytest.raises(ConflictError, match="--force"):
        write(file)

    assert file.read_bytes() == before
    write(file, is_overwriting=True)
    assert read(file)[1] == ROWS


def test_a_backup_that_fails_leaves_the_file_of_before_and_nothing_else(file: Path) -> None:
    before = file.read_bytes()

    def fail() -> None:
        with new_archive(file, is_overwriting=True) as archive, archive.table("notes") as table:
            table.write(b"half")
            raise RuntimeError("planted")

    with pytest.raises(RuntimeError, match="planted"):
        fail()

    assert (list(file.parent.iterdir()), file.read_bytes()) == ([file], before)


def test_the_part_file_is_new_and_private_whatever_stands_at_names_that_can_be_guessed(tmp_path: Path) -> None:
    """Another user of a shared folder may have made a file, or a link, under a name that only the process number is part of."""
    stolen = tmp_path / "stolen"
    for number in (os.getpid(), os.getppid()):
        (tmp_path / f".brain.zip.{number}.part").symlink_to(stolen)

    with new_archive(tmp_path / "brain.zip", is_overwriting=False) as archive, archive.table("notes") as table:
        table.write(b"private")
        table.flush()
        parts = [path for path in tmp_path.iterdir() if not path.is_symlink()]

        modes = [stat.S_IMODE(path.stat().st_mode) for path in parts]

    assert not stolen.exists()
    assert modes == [0o600]


@pytest.mark.parametrize("path", ["no/such/folder/brain.zip", "."])
def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path, path: str) -> None:
    with pytest.raises(InvalidInputError, match=str(tmp_path)):
        write(tmp_path / path)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_flipped_bit_is_refused_or_changes_nothing(file: Path, data: st.DataObject) -> None:
    """Some bits of a zip say nothing of its contents, such as the times of its members."""
    whole = file.read_bytes()
    position, bit = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 7))
    damaged = bytearray(whole)
    damaged[position] ^= 1 << bit
    copy = file.with_name("damaged.zip")
    copy.write_bytes(damaged)

    try:
        found = read(copy)
    except ArchiveError:
        return

    assert found == read(file)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1, exclude_max=True))
def test_a_file_that_was_cut_off_is_refused(file: Path, share: float) -> None:
    whole = file.read_bytes()
    copy = file.with_name("cut.zip")
    copy.write_bytes(whole[: int(len(whole) * share)])

    with pytest.raises(ArchiveError, match=r"cut\.zip"):
        read(copy)


def rewritten(file: Path, change) -> Path:
    """A backup with other members."""
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    copy = file.with_name("other.zip")
    with zipfile.ZipFile(copy, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return copy


@pytest.mark.parametrize("member", ["manifest.json", "tables/notes.copy"])
def test_a_missing_member_is_seen_before_anything_is_read(file: Path, member: str) -> None:
    copy = rewritten(file, lambda members: members.pop(member))

    with pytest.raises(ArchiveError, match="no whole backup"), open_archive(copy):
        pass


def test_a_member_with_other_rows_is_refused(file: Path) -> None:
    copy = rewritten(file, lambda members: members.update({"tables/tenants.copy": b"ajenos!"}))

    with pytest.raises(ArchiveError, match="table tenants has SHA-256"):
        read(copy)


@pytest.mark.parametrize(
    "change",
    [
        {"tables": [{"name": 'notes"; drop', "columns": []}]},
        {"tables": None},
        {"migrations": []},
        {"sequences": {"x'": 1}},
        {"format": "one"},
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(file: Path, change: dict) -> None:
    def spoil(members: dict[str, bytes]) -> None:
        members["manifest.json"] = json.dumps(json.loads(members["manifest.json"]) | change).encode()

    with pytest.raises(ArchiveError), open_archive(rewritten(file, spoil)):
        pass


def refused(file: Path) -> tuple[str, int]:
    """Reason for which a file is refused, and the most memory that was taken meanwhile."""
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError) as told:
            read(file)
        return str(told.value), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def members_of(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_manifest_of_any_size_is_refused_without_being_unpacked(file: Path, method: int) -> None:
    members = members_of(file) | {"manifest.json": b"[" + b" " * 60_000_000 + b"]"}

    told, memory = refused(written(file.with_name("bomb.zip"), members, method))

    assert "manifest" in told
    assert memory < 8_000_000


def test_a_manifest_that_declares_less_than_it_has_is_refused_without_being_unpacked(file: Path) -> None:
    members = members_of(file) | {"manifest.json": b"[" + b" " * 60_000_000 + b"]"}
    bomb = written(file.with_name("bomb.zip"), members)
    bomb.write_bytes(bomb.read_bytes().replace(struct.pack("<L", 60_000_002), struct.pack("<L", 1000)))

    _, memory = refused(bomb)

    assert memory < 8_000_000


def test_a_directory_of_any_number_of_members_is_refused_without_being_read(file: Path) -> None:
    members = members_of(file) | {f"tables/t{number:06d}.copy": b"" for number in range(40_000)}
    bomb = written(file.with_name("bomb.zip"), members, zipfile.ZIP_STORED)

    told, memory = refused(bomb)

    assert "directory" in told
    assert memory < 8_000_000


def with_table(file: Path, content: bytes, declared: int) -> Path:
    """The backup with another member for its notes, which the manifest says to be so long."""
    members = members_of(file)
    manifest = json.loads(members["manifest.json"])
    next(table for table in manifest["tables"] if table["name"] == "notes")["bytes"] = declared
    members |= {"manifest.json": json.dumps(manifest).encode(), "tables/notes.copy": content}
    return written(file.with_name("other.zip"), members)


def test_a_table_that_is_longer_than_the_manifest_says_is_refused_before_it_is_unpacked(file: Path) -> None:
    told, memory = refused(with_table(file, bytes(60_000_000), declared=8000))

    assert "table notes has 60000000 bytes, the manifest says 8000" in told
    assert memory < 8_000_000


def test_a_table_whose_member_declares_too_little_is_refused(file: Path) -> None:
    bomb = with_table(file, bytes(60_000_000), declared=8000)
    bomb.write_bytes(bomb.read_bytes().replace(struct.pack("<L", 60_000_000), struct.pack("<L", 8000)))

    _, memory = refused(bomb)

    assert memory < 8_000_000


def test_a_file_that_unpacks_to_more_than_any_backup_does_is_refused(file: Path) -> None:
    told, _ = refused(with_table(file, bytes(60_000_000), declared=60_000_000))

    assert "more than 300 times its size" in told


@pytest.mark.parametrize(
    "change",
    [
        lambda tables: tables[0].update(bytes="8000"),
        lambda tables: tables[0].update(rows=-1),
        lambda tables: tables.append(tables[0]),
    ],
)
def test_a_manifest_whose_tables_make_no_sense_is_refused(file: Path, change: Callable[[list[dict]], None]) -> None:
    members = members_of(file)
    manifest = json.loads(members["manifest.json"])
    change(manifest["tables"])

    with (
        pytest.raises(ArchiveError),
        open_archive(written(file.with_name("other.zip"), members | {"manifest.json": json.dumps(manifest).encode()})),
    ):
        pass


def test_a_later_format_is_refused_with_its_number(tmp_path: Path) -> None:
    write(tmp_path / "later.zip", file_format=2)

    with pytest.raises(ArchiveError, match="format 2"), open_archive(tmp_path / "later.zip"):
        pass


@pytest.mark.parametrize("content", [b"", b"PK", b"-- PostgreSQL database dump\n"])
def test_another_file_is_no_backup(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "notas.zip").write_bytes(content)

    with pytest.raises(ArchiveError, match="no whole backup of Brain Sync"), open_archive(tmp_path / "notas.zip"):
        pass


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"no file .*nada\.zip"), open_archive(tmp_path / "nada.zip"):
        pass


def test_shares_of_progress_add_up_to_one_whatever_was_estimated() -> None:
    told: list[float] = []
    progress = BackupProgress(told.append, total_bytes=100)

    for _ in range(30):
        progress.add(7)
    progress.finish()

    assert sum(told) == pytest.approx(1.0)
    assert min(told) >= 0
