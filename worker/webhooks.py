"""Calls webhooks: HTTPS to a listed host at a public address, no redirects, no proxy, and a short time limit."""

import socket
import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.conf import settings

from labeling.actions.webhook_deliveries import DeliveryRefused
from labeling.webhook_address import host_of, is_public
from worker.http.errors import ServerError
from worker.http.pinned import PinnedServer

SECONDS = 10  # for the connection, and for each wait for the answer
MOST_SECONDS = 30  # in total, however slowly the other side answers


def resolve(host: str, port: int) -> list[str]:
    """Return the numeric addresses of a host."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


@dataclass(frozen=True)
class WebhookTransport:
    """Where messages may go and how they get there. Only tests create one without `from_settings`."""

    hosts: Iterable[str]
    is_allowed: Callable[[str], bool] = is_public
    addresses: Callable[[str, int], list[str]] = resolve
    tls: ssl.SSLContext = field(default_factory=ssl.create_default_context)
    seconds: float = SECONDS
    most_seconds: float = MOST_SECONDS

    @classmethod
    def from_settings(cls) -> "WebhookTransport":
        """Return the transport that the operator configured."""
        return cls(hosts=settings.WEBHOOK_HOSTS)

    def post(self, url: str, body: bytes, headers: dict[str, str]) -> None:
        """Send the body. Raises DeliveryRefused unless the answer is 2xx, and OSError if the name does not resolve."""
        host = host_of(url)
        if host is None or host not in self.hosts:
            raise DeliveryRefused(f"The host {host} is not on this site's list of webhook hosts.")
        parts = urlsplit(url)
        port = parts.port or 443
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        server = PinnedServer(host, port, self._address(host, port), self.tls, self.seconds, self.most_seconds)
        try:
            status, reason = server.post(path, body, headers)
        except ServerError as fault:
            raise DeliveryRefused(str(fault)) from fault
        if 300 <= status < 400:
            raise DeliveryRefused(f"Answered {status}: redirects are not followed. Enter the final address.")
        if not 200 <= status < 300:
            raise DeliveryRefused(f"Answered {status} {reason}.")

    def _address(self, host: str, port: int) -> str:
        """Return the address to connect to. The name is resolved once, so it cannot change in between.

        Raises DeliveryRefused if any address of the host is not public.
        """
        addresses = self.addresses(host, port)
        if not addresses or not all(self.is_allowed(address) for address in addresses):
            raise DeliveryRefused(f"{host} resolves to an address that is not public, so it was not called.")
        return addresses[0]
