"""How a request to a server can fail."""


class ServerError(Exception):
    """The server refuses us or speaks another language: a person has to fix the address, the key or the model name."""


class ServerUnavailableError(ServerError):
    """The server did not answer in time, after all retries. The same can be asked again later."""


class RefusedError(Exception):
    """The server understood and refuses this one request (400, 413, 422): a matter of the trace, not of the server."""


class StoppedError(Exception):
    """Somebody stopped the client: what was in the air is given up."""


class TooSlowError(Exception):
    """An answer has begun and does not get on, though bytes of it come. Says what was late."""
