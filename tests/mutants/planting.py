"""A copy of the program with one defect in it, and what the tests of its property say."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 180
_ARGUMENTS = ("-x", "-q", "-p", "no:cacheprovider", "--tb=short")
Outcome = Literal["caught", "missed", "broken", "stale"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A slip that breaks a property: ``old`` stands in the file exactly once, ``new`` is what stands there instead."""

    property: int
    file: str
    old: str
    new: str
    defect: str

    def __str__(self) -> str:
        """Where it is and what it does."""
        return f"{self.file}: {self.defect}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Outcome of a mutant, and the end of what the tests said."""

    mutant: Mutant
    outcome: Outcome
    said: str = ""


def is_stale(mutant: Mutant, root: Path = ROOT) -> bool:
    """Test whether the place where it is planted is gone or no longer the only one."""
    file = root / mutant.file
    return not file.exists() or file.read_text(encoding="utf-8").count(mutant.old) != 1


def judged(mutant: Mutant, run_folder: Path) -> Verdict:
    """Plant the defect in a copy and run the property's tests on it, with the databases of the run in the folder."""
    if is_stale(mutant):
        return Verdict(mutant=mutant, outcome="stale", said=f"not found exactly once: {mutant.old!r}")
    with planted(mutant) as copy:
        return _tested(mutant, copy, run_folder)


@contextmanager
def planted(mutant: Mutant) -> Iterator[Path]:
    """A folder with a copy of ``rag_core`` that has the defect."""
    with tempfile.TemporaryDirectory(prefix="brain-mutant-") as folder:
        copy = Path(folder)
        shutil.copytree(ROOT / "rag_core", copy / "rag_core")
        file = copy / mutant.file
        file.write_text(file.read_text(encoding="utf-8").replace(mutant.old, mutant.new), encoding="utf-8")
        # The stale byte code of a file of equal size that was written in the same second would be taken for new.
        for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*"):
            compiled.unlink()
        yield copy


def _tested(mutant: Mutant, copy: Path, run_folder: Path) -> Verdict:
    try:
        run = subprocess.run(
            # -P: without it the working folder's own rag_core would come first.
            [sys.executable, "-P", "-m", "pytest", *_ARGUMENTS, "--property", str(mutant.property), *_modules(mutant)],
            cwd=ROOT,
            env=os.environ
            | {
                "PYTHONPATH": str(copy),
                "BRAIN_TEST_RUN_FOLDER": str(run_folder),
                "BRAIN_TEST_PROFILE": "mutants",
            },
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Verdict(mutant=mutant, outcome="broken", said=f"no end after {TIMEOUT_SECONDS} s")
    return Verdict(mutant=mutant, outcome=outcome_of(run.returncode, run.stdout), said=run.stdout + run.stderr)


def _modules(mutant: Mutant) -> list[str]:
    """The test modules that hold the property: the others need not even be imported."""
    mark = f"@pytest.mark.property({mutant.property})"
    modules = sorted((ROOT / "tests" / "properties").glob("test_*.py"))
    return [str(module) for module in modules if mark in module.read_text(encoding="utf-8")]


def outcome_of(returncode: int, output: str) -> Outcome:
    """Caught when a test failed; a run that failed elsewhere, at import or in a fixture, proves nothing."""
    closing = output.rstrip().rpartition("\n")[2]
    if returncode == 0 and re.search(r"\b\d+ passed\b", closing):
        return "missed"
    has_failed = re.search(r"\b\d+ failed\b", closing) and not re.search(r"\berrors?\b", closing)
    return "caught" if returncode == 1 and has_failed else "broken"
