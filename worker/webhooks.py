"""How a webhook is called: HTTPS to a listed host at a public address, no redirect, no proxy, little time."""

import http.client
import socket
import ssl
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Timer
from urllib.parse import urlsplit

from django.conf import settings

from labeling.actions.webhook_deliveries import DeliveryRefused
from labeling.webhook_address import host_of, is_public

SECONDS = 10  # for the connection, and for each wait on an answer
MOST_SECONDS = 30  # in all, however slowly the other side answers
READ = 64 * 1024  # bytes; what more is answered is not read


def resolve(host: str, port: int) -> list[str]:
    """The numeric addresses of a host."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


@dataclass(frozen=True)
class Way:
    """Where messages may go and how they get there. Only tests make one other than `Way.out()`."""

    hosts: Iterable[str]
    may_reach: Callable[[str], bool] = is_public
    addresses: Callable[[str, int], list[str]] = resolve
    tls: ssl.SSLContext = field(default_factory=ssl.create_default_context)

    @classmethod
    def out(cls) -> "Way":
        """As the operator set it."""
        return cls(hosts=settings.WEBHOOK_HOSTS)

    def post(self, url: str, body: bytes, headers: dict[str, str]) -> None:
        """Send the body. Raises DeliveryRefused unless the answer is 2xx; OSError where there is no connection."""
        host = host_of(url)
        if host is None or host not in self.hosts:
            raise DeliveryRefused(f"The host {host} is not on this site's list of webhook hosts.")
        parts = urlsplit(url)
        connection = Connection(host, parts.port or 443, self)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        ending = Timer(MOST_SECONDS, connection.hang_up)
        ending.start()
        try:
            connection.request("POST", path, body=body, headers=headers)
            answer = connection.getresponse()
            answer.read(READ)
        except http.client.HTTPException as fault:
            raise DeliveryRefused(f"The answer was not HTTP: {type(fault).__name__}.") from fault
        finally:
            ending.cancel()
            connection.close()
        if 300 <= answer.status < 400:
            raise DeliveryRefused(f"Answered {answer.status}: redirects are not followed. Enter the final address.")
        if not 200 <= answer.status < 300:
            raise DeliveryRefused(f"Answered {answer.status} {answer.reason}.")


class Connection(http.client.HTTPSConnection):
    """Connects to an address that was looked at: the name is resolved once, so it cannot change in between."""

    def __init__(self, host: str, port: int, way: Way) -> None:
        super().__init__(host, port, timeout=SECONDS, context=way.tls)
        self.way = way

    def connect(self) -> None:
        """Called by `request`. Raises DeliveryRefused where any address of the host is not public."""
        addresses = self.way.addresses(self.host, self.port)
        closed = [address for address in addresses if not self.way.may_reach(address)]
        if closed or not addresses:
            raise DeliveryRefused(f"{self.host} resolves to an address that is not public: it is not called.")
        plain = socket.create_connection((addresses[0], self.port), timeout=SECONDS)
        try:
            self.sock = self.way.tls.wrap_socket(plain, server_hostname=self.host)
        except BaseException:
            plain.close()
            raise

    def hang_up(self) -> None:
        """From another thread: whatever is being waited for ends now."""
        with suppress(OSError, AttributeError):  # it had ended, or not begun
            self.sock.shutdown(socket.SHUT_RDWR)
