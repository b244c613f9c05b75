"""Home of the notes for commands that only read."""

from rag_core.errors import NotFoundError
from rag_core.settings import Settings, read_settings
from rag_core.storage.embedded import EmbeddedHome


def read_settings_to_read() -> Settings:
    """The settings of a command that changes nothing; it makes no database in a folder that it was called in by mistake.

    Raises:
        NotFoundError: see ``check_home``.
    """
    settings = read_settings()
    check_home(settings)
    return settings


def check_home(settings: Settings) -> None:
    """Check that there are notes to read.

    Raises:
        NotFoundError: neither BRAIN_HOME nor DATABASE_URL says where the notes are, and the folder has none.
    """
    is_named = settings.database_url is not None or "home" in settings.model_fields_set
    if not is_named and not EmbeddedHome(root=settings.home).data.exists():
        raise NotFoundError(
            f"there are no notes at {settings.home.absolute()}; go to the folder whose .brain holds them, or set BRAIN_HOME. For "
            "notes of your own `brain import FILE`, then `brain index`; for a look at the demo `brain demo`"
        )
