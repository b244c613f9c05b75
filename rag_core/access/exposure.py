"""Exposure of the API: the address it listens on, the names it answers to, and what must not be open to them."""

from rag_core.errors import ConfigurationError
from rag_core.model.addresses import is_loopback
from rag_core.settings import Settings

OPEN_WARNING = (
    "access is open: whoever can reach this address reads and changes all notes. `brain key create` and BRAIN_ACCESS=keys ask "
    "for keys."
)
_EVERYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104  named here to be told from other addresses


def allowed_hosts(settings: Settings) -> frozenset[str]:
    """The names beside those of loopback that requests may call this machine by: those allowed, and the address it listens on."""
    names = {name.strip().lower().removesuffix(".") for name in settings.allowed_hosts.split(",")}
    address = settings.api_host.lower()
    own = set() if address in _EVERYWHERE else {f"[{address}]" if ":" in address else address}
    return frozenset((names | own) - {""})


def check_exposure(settings: Settings) -> None:
    """Refuse to give everything to whoever asks from another machine.

    Raises:
        ConfigurationError: access is open, and the address or a name that is allowed is not this machine's alone.
    """
    if settings.access == "keys":
        return
    if not is_loopback(settings.api_host):
        raise ConfigurationError(
            f"BRAIN_API_HOST={settings.api_host} can be reached from other machines, and access is open, so all of them could read "
            "and change all notes. Make a key with `brain key create NAME` and set BRAIN_ACCESS=keys, or leave BRAIN_API_HOST out"
        )
    foreign = sorted(name for name in allowed_hosts(settings) if not is_loopback(name))
    if foreign:
        raise ConfigurationError(
            f"BRAIN_ALLOWED_HOSTS names {', '.join(foreign)}, which others may reach through a proxy, and access is open. Make a key "
            "with `brain key create NAME` and set BRAIN_ACCESS=keys, or leave BRAIN_ALLOWED_HOSTS out"
        )
