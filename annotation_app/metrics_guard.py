"""Access to /metrics: with METRICS_TOKEN, or from METRICS_NETWORKS without a proxy in between."""

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

Network = IPv4Network | IPv6Network
SHORTEST_TOKEN = 24
FORWARDED = ("X-Forwarded-For", "Forwarded", "X-Real-Ip", "Via")


def check_token(token: str, name: str = "METRICS_TOKEN") -> str:
    """Return the token, or "" for none. Raises ImproperlyConfigured if it could be guessed."""
    if token and len(token) < SHORTEST_TOKEN:
        raise ImproperlyConfigured(f"{name} needs at least {SHORTEST_TOKEN} random characters.")
    return token


def read_networks(given: Sequence[str]) -> list[Network]:
    """Return the networks of METRICS_NETWORKS. Raises ImproperlyConfigured, also if one of them is public."""
    try:
        networks = [ip_network(one.strip()) for one in given]
    except ValueError as fault:
        raise ImproperlyConfigured(
            f"METRICS_NETWORKS: {fault}. Write networks like 10.0.0.0/8, separated by commas."
        ) from fault
    if any(network.is_global or network.prefixlen == 0 for network in networks):
        raise ImproperlyConfigured("METRICS_NETWORKS must be private networks. For other networks, use METRICS_TOKEN.")
    return networks


def may_read(request: HttpRequest, token: str, networks: Sequence[Network]) -> bool:
    """Return whether this request may read /metrics. Through a proxy it has the proxy's address, which says nothing."""
    brought = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if token and constant_time_compare(brought, token):
        return True
    if any(name in request.headers for name in FORWARDED):
        return False
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    return any(address in network for network in networks)
