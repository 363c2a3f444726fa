"""One POST to an address that was checked before: the host name is not resolved again, and the time limit is short."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Timer

import httpx

from worker.http.connections import Connections
from worker.http.errors import ServerError, ServerUnavailableError, StoppedError

READ = 64 * 1024  # bytes; anything beyond is not read


@dataclass(frozen=True)
class PinnedServer:
    """A host and the numeric address to which it resolved. The certificate, SNI and the Host header are the host's.

    `seconds` limits the connection and each wait for the answer, `most_seconds` the total, however slowly it arrives.
    """

    host: str
    port: int
    address: str
    tls: ssl.SSLContext
    seconds: float
    most_seconds: float

    def post(self, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
        """Send the body and return the answer's status and reason. Redirects are not followed, and no proxy is used.
        Raises ServerUnavailableError if there is no connection or time is up, ServerError if the answer is not HTTP.
        """
        connections = Connections(size=1, connect=self.seconds, read=self.seconds, proxies=False, tls=self.tls)
        headers = {**headers, "Host": f"{bracketed(self.host)}{'' if self.port == 443 else f':{self.port}'}"}
        url = f"https://{bracketed(self.address)}:{self.port}{path}"
        ending = Timer(self.most_seconds, connections.abort)
        ending.start()
        fault: Exception | None = None
        try:
            with connections.post(url, body, headers, extensions={"sni_hostname": self.host}) as response:
                read_some(response)
        except (httpx.TransportError, httpx.InvalidURL, StoppedError) as error:
            fault = error
        finally:
            ending.cancel()
            late = connections.aborted
            connections.abort()
        if late:
            raise ServerUnavailableError(
                f"The server did not finish its answer within {self.most_seconds:g} s."
            ) from fault
        if isinstance(fault, httpx.ProtocolError | httpx.InvalidURL):
            raise ServerError(f"The answer was not HTTP: {fault}") from fault
        if fault is not None:
            raise ServerUnavailableError(str(fault) or type(fault).__name__) from fault
        return response.status_code, response.reason_phrase


def read_some(response: httpx.Response) -> None:
    """Read enough for the other side to end its answer, but at most READ bytes."""
    size = 0
    for piece in response.iter_raw():
        size += len(piece)
        if size >= READ:
            return


def bracketed(host: str) -> str:
    """Return the host as written in an address: IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host
