"""Home of the notes for commands that only read."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag_core.settings import Settings


def read_settings_to_read() -> "Settings":
    """The settings of a command that changes nothing; it does not make a database in a folder that it was called in by mistake.

    Raises:
        NotFoundError: neither BRAIN_HOME nor DATABASE_URL says where the notes are, and the folder has none.
    """
    from rag_core.errors import NotFoundError
    from rag_core.settings import read_settings
    from rag_core.storage.embedded import EmbeddedHome

    settings = read_settings()
    is_named = settings.database_url is not None or "home" in settings.model_fields_set
    if not is_named and not EmbeddedHome(root=settings.home).data.exists():
        raise NotFoundError(
            f"there are no notes at {settings.home.absolute()}; go to the folder whose .brain holds them, or set BRAIN_HOME. For "
            "notes of your own `brain import FILE`, then `brain index`; for a look at the demo `brain demo`"
        )
    return settings
