"""Proof that the API on a port and a command in a terminal are of one home: both know its secret.

The API shows an HMAC of the home's path, the address and port at which it was reached, and a number that the command has drawn, so
that nobody else can answer in its place, nor pass on the answer of an API that listens elsewhere. The command then shows a key that
only the secret gives, and its settings, of which passwords and keys are concealed.
"""

import hashlib
import hmac
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from rag_core.access.pseudonyms import Pseudonyms

ADDRESS: Final = "127.0.0.1"
"""Where commands look for the API."""
CONCEALED: Final = "hmac-sha256:"
"""The beginning of a value that is sent concealed."""
_PURPOSE: Final = "terminal proof"
_CONCEALING: Final = "terminal settings"
_READ: Final = ("BRAIN_", "DATABASE_URL", "OLLAMA_HOST")
_NOT_SENT: Final = ("BRAIN_SECRET", "BRAIN_ALERT_", "BRAIN_GATE_")
_HIDDEN: Final = ("KEY", "SECRET", "PASSWORD", "TOKEN", "DATABASE_URL")


def home_proof(names: Pseudonyms, *, home: Path, address: str, port: int, nonce: str) -> str:
    """Proof of the API at this address and port, for the command that drew ``nonce``."""
    return _digest(names, _PURPOSE, f"{home}\n{address}\n{port}\n{nonce}")


def concealed(names: Pseudonyms, value: str) -> str:
    """A value that only who knows the home's secret and the value itself can recognise."""
    return CONCEALED + _digest(names, _CONCEALING, value)


def environment_of(variables: Mapping[str, str], names: Pseudonyms) -> dict[str, str]:
    """The variables that settings of a search or an answer may be read from; what may hold a password or a key is concealed."""
    read = {name: value for name, value in variables.items() if name.upper().startswith(_READ)}
    return {
        name: concealed(names, value) if _is_hidden(name.upper(), value) else value
        for name, value in read.items()
        if not name.upper().startswith(_NOT_SENT)
    }


def _is_hidden(name: str, value: str) -> bool:
    return "@" in value or any(part in name for part in _HIDDEN)


def _digest(names: Pseudonyms, purpose: str, said: str) -> str:
    return hmac.digest(names.key(purpose), said.encode("utf-8", "surrogatepass"), hashlib.sha256).hex()
