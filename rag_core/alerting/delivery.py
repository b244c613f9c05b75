"""Delivery of messages by apprise, to the addresses of ``BRAIN_ALERT_URLS``. Only here is apprise imported.

An address is a secret as a whole: passwords, tokens and keys are parts of it. Nothing but its place in the list and its
scheme is ever shown, and what apprise says of a failure is shown without the address's parts.
"""

import hashlib
import logging
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from pydantic import SecretStr

from rag_core.alerting.messages import AlertMessage, demo_message
from rag_core.errors import ConfigurationError, DeliveryError

if TYPE_CHECKING:
    from apprise import Apprise, NotifyType

SEND_SECONDS = 12.0
"""Limit of one message to one address, whatever the server does."""
APPLICATION = "Brain Sync"
_BETWEEN = re.compile(r"[\s,]+(?=[A-Za-z][A-Za-z0-9+.-]*://)")
_WEBHOOKS = frozenset({"json", "xml", "form"})
_LEAST_SECRET = 3
_PUBLIC = frozenset({"http", "https", "127.0.0.1", "localhost"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Address of messages. ``id`` tells it from the others and lets nobody guess it; ``name`` is for people."""

    id: str
    name: str
    url: SecretStr

    @property
    def opens_incidents(self) -> bool:
        """Tell whether its service opens an incident for each message and closes it by the key of a later one."""
        return _is_pagerduty(self.url.get_secret_value())


def parse_addresses(urls: str) -> tuple[Address, ...]:
    """Addresses separated by blanks or commas, each once; an empty text gives none."""
    found = list(dict.fromkeys(url.strip(" \t\r\n,") for url in _BETWEEN.split(urls)))
    addresses: dict[str, Address] = {}
    for number, url in enumerate((url for url in found if url), start=1):
        name = f"address {number} ({url.partition('://')[0].lower()})"
        address = Address(id=_free_id(url, addresses), name=name, url=SecretStr(url))
        addresses[address.id] = address
    return tuple(addresses.values())


def _free_id(url: str, taken: dict[str, Address]) -> str:
    """Sixteen bits of a hash: enough to tell a few addresses apart, too few to find a password by trying."""
    digest = hashlib.blake2s(url.encode("utf-8", "surrogatepass"), digest_size=2).hexdigest()
    return next(one for one in (digest, *(f"{digest}-{n}" for n in range(2, 100))) if one not in taken)


def send(address: Address, message: AlertMessage, *, timeout_seconds: float = SEND_SECONDS) -> None:
    """Deliver a message to an address by apprise.

    Raises:
        DeliveryError: apprise does not know the address, or its server did not take the message in time. After a time-out it
            may have been delivered all the same.
    """
    service = _service(address, message)
    is_text = _takes_text(service, address)
    result = service.notify(
        title=message.title,
        body=message.text if is_text else message.markdown,
        body_format="text" if is_text else "markdown",
        notify_type=_notify_type(message),
        interpret_escapes=False,
        timeout=timeout_seconds,
    )
    if not result:
        reasons = "; ".join(dict.fromkeys(entry.message.strip() for entry in result.logs()))
        told = without_secrets(reasons, address) or f"it was not taken within {timeout_seconds:.0f} s"
        raise DeliveryError(f"{address.name} did not take the message: {told}")


def _service(address: Address, message: AlertMessage) -> "Apprise":
    import apprise  # 0.2 s, needed only where something is sent

    logging.getLogger("apprise").propagate = False  # its messages quote keys; those of a call are in its result
    asset = apprise.AppriseAsset(
        app_id=APPLICATION,
        app_desc=APPLICATION,
        app_url="",
        image_url_mask="",  # no pictures from a third party's server
        image_url_logo="",
        async_mode=False,
    )
    service = apprise.Apprise(asset=asset)
    if not service.add(_with_key(address.url.get_secret_value(), message.key)):
        raise DeliveryError(
            f"{address.name} of BRAIN_ALERT_URLS is not an address that apprise can use; see its documentation for the form "
            "of this scheme"
        )
    return service


def _with_key(url: str, key: str) -> str:
    """PagerDuty's address with what makes the resolution close the incident that the alert opened."""
    if not _is_pagerduty(url):
        return url
    given = url.partition("?")[2]
    wanted = {"action": "map", "dedup": key}
    added = "&".join(f"{name}={value}" for name, value in wanted.items() if f"{name}=" not in given)
    return url + ("&" if "?" in url else "?") + added if added else url


def _is_pagerduty(url: str) -> bool:
    return url.lower().startswith("pagerduty:")


def _takes_text(service: "Apprise", address: Address) -> bool:
    """Programs read what a webhook gets; people read formatted text where the service can show it."""
    scheme = address.url.get_secret_value().partition("://")[0].lower()
    return scheme.removesuffix("s") in _WEBHOOKS or service[0].resolve_format("markdown").value == "text"


def _notify_type(message: AlertMessage) -> "NotifyType":
    from apprise import NotifyType

    types = {
        "info": NotifyType.INFO,
        "warning": NotifyType.WARNING,
        "critical": NotifyType.FAILURE,
        None: NotifyType.SUCCESS,
    }
    return types[message.severity]


def try_addresses(addresses: Sequence[Address], *, now: datetime, zone: ZoneInfo) -> dict[str, str | None]:
    """Send a test message to all at once; by name why an address did not take it, None where it did.

    Raises:
        ConfigurationError: there is no address.
    """
    if not addresses:
        raise ConfigurationError(
            "there is nobody to tell; set BRAIN_ALERT_URLS to addresses such as mailto://, slack://, pagerduty:// or json://"
        )

    def attempt(address: Address) -> str | None:
        try:
            send(address, demo_message(zone=zone, now=now))
        except DeliveryError as error:
            return str(error)
        return None

    with ThreadPoolExecutor(max_workers=len(addresses)) as threads:
        return dict(zip((address.name for address in addresses), threads.map(attempt, addresses), strict=True))


def is_any_under_way() -> bool:
    """Tell whether a server still holds an abandoned message; until then the process does not end by itself."""
    from apprise.apprise import any_abandoned_calls_still_running

    return any_abandoned_calls_still_running()


def without_secrets(text: str, address: Address) -> str:
    """A text with every part of the address but its scheme blotted out."""
    _, _, rest = address.url.get_secret_value().partition("://")
    parts = {rest, *re.split(r"[/:@?&=,;+\s]+", rest), *re.split(r"[/:@?&=]+", _decoded(rest))}
    for part in sorted(parts, key=len, reverse=True):
        if len(part) >= _LEAST_SECRET and part.lower() not in _PUBLIC:
            text = text.replace(part, "…")
    return text


def _decoded(text: str) -> str:
    from urllib.parse import unquote

    return unquote(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notifier:
    """The addresses to tell, and how."""

    addresses: Sequence[Address] = ()
    send: Callable[[Address, AlertMessage], None] = send
