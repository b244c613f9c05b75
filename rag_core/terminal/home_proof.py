"""Proof that the API on a port and a command in a terminal are of one home: both know its secret.

The API shows an HMAC of the home's path, its port and a number that the command has drawn, so that nobody else can answer in its
place, nor pass on the answer of the API on another port. The command then shows a key that only the secret gives.
"""

import hashlib
import hmac
from collections.abc import Mapping
from pathlib import Path

from rag_core.access.pseudonyms import Pseudonyms

_PURPOSE = "terminal proof"


def home_proof(names: Pseudonyms, *, home: Path, port: int, nonce: str) -> str:
    """Proof of the API at this port of loopback, for the command that drew ``nonce``."""
    said = f"{home}\n{port}\n{nonce}".encode("utf-8", "surrogatepass")
    return hmac.digest(names.key(_PURPOSE), said, hashlib.sha256).hex()


def environment_of(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables that settings may be read from."""
    return {
        name: value
        for name, value in variables.items()
        if name.upper().startswith(("BRAIN_", "DATABASE_URL", "OLLAMA_HOST"))
    }
