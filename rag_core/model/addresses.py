"""Addresses of servers: which of them are this machine's own. Pure."""

import ipaddress
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """Test whether a name or address of a host is this machine's own, without a lookup: any name but localhost is not."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def leaves_machine(address: str) -> bool:
    """Test whether what is sent to a server's address, with a scheme or without one, may reach another machine."""
    host = urlsplit(address if "//" in address else f"//{address}").hostname
    return host is None or not _is_this_machine(host)


def _is_this_machine(host: str) -> bool:
    """Test whether a connection to the host ends on this machine: beside loopback, the unspecified address and localhost's names."""
    name = host.removesuffix(".")
    if is_loopback(name) or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return any(each.is_loopback or each.is_unspecified for each in (address, mapped) if each is not None)
