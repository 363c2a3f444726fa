"""The address a request came from: complete, to be shown, and in the form in which attempts are counted."""

from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

ONE_LINE = 64  # bits that tell home lines and rented machines apart: whoever has one chooses the 64 bits after them


def client_ip(request: HttpRequest | Request) -> str:
    """Return the client that the outermost trusted proxy saw or, if it names none, our own peer.

    X-Forwarded-For counts only as far as TRUSTED_PROXIES reaches: anyone may have written what comes before.
    """
    told = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if settings.PROXIES else [""]
    peer = str(request.META.get("REMOTE_ADDR", ""))
    return plain_address(told[-min(settings.PROXIES or 1, len(told))]) or plain_address(peer) or peer


def counted_ip(request: HttpRequest | Request) -> str:
    """Return what attempts from one address are counted by: for IPv6 the address's network, else the address."""
    told = client_ip(request)
    return str(ip_network(f"{told}/{ONE_LINE}", strict=False).network_address) if ":" in plain_address(told) else told


def plain_address(text: str) -> str:
    """Return an address as proxies write it, without its port (`8.8.8.8:4000`, `[2001:db8::1]:443`); "" if it is
    invalid.
    """
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return ""
    if isinstance(address, IPv6Address):
        if address.scope_id:  # Postgres accepts none
            return ""
        return str(address.ipv4_mapped or address)
    return str(address)
