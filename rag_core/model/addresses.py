"""Addresses of servers: which of them are this machine's own. Pure."""

import ipaddress
from urllib.parse import urlsplit

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_IPV6_UNICAST = ipaddress.ip_network("2000::/3")
"""All that is assigned to the public internet; what else the library calls global leads elsewhere."""


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


def is_public(address: str) -> bool:
    """Test whether an IP address is one of the public internet; IPv6 addresses that lead to an IPv4 one count as that one too."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    if isinstance(found, ipaddress.IPv4Address):
        return _is_global(found)
    is_unicast = found in _IPV6_UNICAST or found in _NAT64
    return is_unicast and _is_global(found) and all(map(_is_global, _inner_addresses(found)))


def _is_global(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return address.is_global and not address.is_multicast


def _inner_addresses(address: ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """IPv4 addresses that packets to an IPv6 one may end at: by 6to4, Teredo and NAT64."""
    inner = [address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [one for one in inner if one is not None]
