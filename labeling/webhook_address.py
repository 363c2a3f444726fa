"""Where a webhook may point. Pure.

Somebody who may enter an address must not reach with it what only our own machines reach: other services behind the
firewall, the cloud's metadata, ourselves (server-side request forgery). So the scheme is HTTPS, the host is on a list
that the operator wrote, and the address to which the name resolves, looked at when the connection is made, is public.
"""

import ipaddress
from urllib.parse import urlsplit

# IPv6 addresses that carry an IPv4 address inside, which a gateway would unpack: NAT64 and 6to4 (RFC 6052, RFC 3056).
WRAPPED = [ipaddress.ip_network(net) for net in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96")]
# What Python still takes for public: site-local addresses (RFC 3879), those for documentation (RFC 9637), and those of
# 6to4 gateways that were (RFC 7526).
NOT_PUBLIC = [ipaddress.ip_network(net) for net in ("fec0::/10", "3fff::/20", "192.88.99.0/24")]


def host_of(url: str) -> str | None:
    """The host that an address names, in lower case; None unless it is plain HTTPS without name and password."""
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
    """Whether a numeric address is of the open internet: not private, loopback, link-local, reserved, multicast."""
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
