"""What markitdown makes of the same files, by the Python of an environment that has it; it is no dependency."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag_core.model.document import DocumentTable
from rag_core.parsing.markdown import markdown_document

_SCRIPT = """
import json, sys, time
from markitdown import MarkItDown
converter = MarkItDown()
for path in sys.argv[2:]:
    times, text = [], None
    for _ in range(1 + int(sys.argv[1])):
        began = time.perf_counter()
        try:
            text = converter.convert(path).text_content
        except Exception:  # a foreign converter may raise anything: the file then has no text, which is told
            break
        times.append(time.perf_counter() - began)
    print(json.dumps({"path": path, "text": text, "seconds": min(times[1:], default=None)}), flush=True)
"""
MAX_CHARACTERS = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherText:
    """Markdown that another converter made of a file, and the least seconds that it took."""

    text: str
    seconds: float

    @property
    def tables(self) -> Sequence[DocumentTable]:
        """The tables in it."""
        return markdown_document(self.text, max_characters=MAX_CHARACTERS).tables


def convert_all(python: Path, files: Sequence[Path], *, repetitions: int) -> Mapping[Path, OtherText]:
    """Convert files one after the other in one process, after each was converted once; those that fail are left out."""
    command = [str(python), "-c", _SCRIPT, str(repetitions), *map(str, files)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    converted = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {
        Path(one["path"]): OtherText(text=one["text"], seconds=one["seconds"])
        for one in converted
        if one["text"] and one["seconds"]
    }
