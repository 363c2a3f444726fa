"""How a request to a server can fail."""


class ServerError(Exception):
    """The server refuses us or speaks another protocol: a person has to fix the address, the key or the model name."""


class ServerUnavailableError(ServerError):
    """The server did not answer in time, after all retries. The same request can be sent again later."""


class RefusedError(Exception):
    """The server understood and refused this one request (400, 413, 422): the trace is the cause, not the server."""


class StoppedError(Exception):
    """The client was stopped: requests in flight are abandoned."""


class TooSlowError(Exception):
    """An answer has begun but makes no progress, although bytes of it arrive. Says what was late."""
