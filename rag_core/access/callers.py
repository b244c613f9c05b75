"""From a key that somebody shows to the caller they are, remembered for a few seconds so that a request costs no look-up."""

import hmac
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from cachetools import TTLCache

from rag_core.access import Caller
from rag_core.access.keys import parse_key
from rag_core.access.pseudonyms import Pseudonyms
from rag_core.errors import UnauthenticatedError
from rag_core.model.access import ApiKey, PresentedKey
from rag_core.storage.api_keys import NO_TENANT, find_key
from rag_core.storage.database import Database

REMEMBERED_SECONDS = 4.0
"""A revoked key opens nothing any more within five seconds, look-ups under way included."""
REMEMBERED_KEYS = 1_000


class Callers:
    """Callers by their keys, for one process; threads may share it. Only keys that open something are remembered."""

    def __init__(
        self, database: Database, names: Pseudonyms, *, timeout_ms: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._names = names
        self._timeout_ms = timeout_ms
        self._process_keys = tuple(key.encode() for key in (names.process_key, names.terminal_key))
        self._known: TTLCache[PresentedKey, tuple[ApiKey, Caller]] = TTLCache(
            REMEMBERED_KEYS, REMEMBERED_SECONDS, timer=clock
        )
        self._lock = threading.Lock()

    def remembered(self, text: str) -> Caller | None:
        """The caller, where the key was looked up a moment ago; nobody is asked."""
        if any(hmac.compare_digest(text.encode(errors="replace"), key) for key in self._process_keys):
            return self._own_process()
        shown = parse_key(text)
        with self._lock:
            found = None if shown is None else self._known.get(shown)
        return found[1] if found is not None and found[0].is_usable(datetime.now(UTC)) else None

    def find(self, text: str) -> Caller:
        """The caller by the stored key, asked of the database.

        Raises:
            UnauthenticatedError: it is no key, nobody's, expired or revoked; which of these is not told.
            DatabaseUnavailableError, DeadlineExceededError: see ``Database.transaction``.
        """
        shown = parse_key(text)
        key = None if shown is None else find_key(self._database, shown, timeout_ms=self._timeout_ms)
        if shown is None or key is None or not key.is_usable(datetime.now(UTC)):
            raise UnauthenticatedError(
                "the API key is not valid; ask whoever runs this for another", is_key_refused=True
            )
        caller = self._caller(key)
        with self._lock:
            self._known[shown] = key, caller
        return caller

    def nobody(self) -> Caller:
        """Caller in open mode: one for the whole machine, who may do everything."""
        return Caller(
            tenant=None,
            key_id=None,
            user_hash=self._names.machine,
            scopes=frozenset({"admin"}),
        )

    def _own_process(self) -> Caller:
        """Another process of the installation, such as `brain status`: of no tenant; `may_enter` says where it may go."""
        user_hash = self._names.user_hash("process")
        return Caller(tenant=NO_TENANT, key_id=None, user_hash=user_hash, scopes=frozenset())

    def _caller(self, key: ApiKey) -> Caller:
        return Caller(
            tenant=key.tenant,
            key_id=key.key_id,
            user_hash=self._names.of_key(key.key_id),
            scopes=key.scopes,
            departments=key.departments,
            key_name=key.name,
            questions_per_minute=key.questions_per_minute,
            questions_per_hour=key.questions_per_hour,
        )
