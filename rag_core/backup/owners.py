"""Owners of conversations after a restore, whose pseudonyms this installation may not know."""

from rag_core.access.pseudonyms import Pseudonyms
from rag_core.storage.api_keys import list_keys
from rag_core.storage.backup import count_conversations_of_others
from rag_core.storage.database import Database


def count_lost_conversations(database: Database, names: Pseudonyms | None) -> int:
    """Conversations that nobody can go on with: they belong to nobody at this machine, nor to any key.

    With the secret that they were begun with there are none. Without pseudonyms, where no secret was made yet, nobody is known.
    """
    with database.owner() as connection:
        known = [] if names is None else [names.machine, *(names.of_key(key.key_id) for key in list_keys(connection))]
        return count_conversations_of_others(connection, known)
