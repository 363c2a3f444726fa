"""Where a webhook may point. Pure.

A person who may enter an address must not use it to reach what only our own machines can: other services behind the
firewall, the cloud's metadata, ourselves (server-side request forgery). So the scheme must be HTTPS, the host must be
on the operator's list, and the address to which the name resolves, checked when the connection is made, must be public.
"""

import ipaddress
from urllib.parse import urlsplit

# IPv6 addresses that contain an IPv4 address, which a gateway would unpack: NAT64 and 6to4 (RFC 6052, RFC 3056).
WRAPPED = [ipaddress.ip_network(net) for net in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96")]
# What Python still considers public: site-local addresses (RFC 3879), those for documentation (RFC 9637), and those of
# former 6to4 gateways (RFC 7526).
NOT_PUBLIC = [ipaddress.ip_network(net) for net in ("fec0::/10", "3fff::/20", "192.88.99.0/24")]


def host_of(url: str) -> str | None:
    """Return the host of an address, in lower case; None unless it is plain HTTPS without name and password."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    strange = any(character <= " " or character == "\\" or character > "~" for character in url)
    if strange or parts.scheme != "https" or parts.username is not None or parts.password is not None or port == 0:
        return None
    return parts.hostname or None


def is_public(address: str) -> bool:
    """Whether a numeric address is on the public internet: not private, loopback, link-local, reserved or multicast."""
    try:
        ip = ipaddress.ip_address(address.split("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            ip = ip.ipv4_mapped
        elif any(ip in net for net in WRAPPED):
            return False
    if any(ip in net for net in NOT_PUBLIC):
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved
