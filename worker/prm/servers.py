"""A PRM behind a server: address and options are in the record, and failures are those of a PRM."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from worker.http import errors as http
from worker.http.server_client import ServerClient
from worker.prm.errors import ServerError, ServerUnavailableError, SpecError
from worker.prm.spec import PrmSpec

# The options that every server family takes.
OPTIONS = ("model", "api_key_env", "timeout", "retries", "in_flight")

Question = TypeVar("Question")
Given = TypeVar("Given")


class PrmServer:
    """The server of a spec. The key is read from the environment variable it names and is in no record."""

    def __init__(self, spec: PrmSpec) -> None:
        key_name = spec.option("api_key_env", None)
        if key_name is not None and key_name not in os.environ:
            raise SpecError(f"The environment variable {key_name} (api_key_env) is not set on this worker.")
        timeout, retries, in_flight = (
            spec.option("timeout", 120.0),
            spec.option("retries", 5),
            spec.option("in_flight", 8),
        )
        if not (timeout > 0 and retries >= 0 and 1 <= in_flight <= 256):
            raise SpecError("timeout must be above 0, retries at least 0 and in_flight between 1 and 256.")
        key = None if key_name is None else os.environ[key_name]
        with as_prm_errors():
            self.client = ServerClient(
                str(spec.url), key, timeout=float(timeout), retries=int(retries), in_flight=int(in_flight)
            )

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Return the JSON answer. Raises RefusedError, ServerUnavailableError (after all retries) or ServerError."""
        with as_prm_errors():
            return self.client.post(path, body)

    def each(self, ask: Callable[[Question], Given], questions: Iterable[Question]) -> list[Given]:
        """Return answers in order, as many at a time as the server accepts; the first error ends it."""
        return self.client.each(ask, questions)


@contextmanager
def as_prm_errors() -> Iterator[None]:
    """Turn errors of a server into errors of the PRM behind it."""
    try:
        yield
    except http.ServerUnavailableError as error:
        raise ServerUnavailableError(str(error)) from error
    except http.ServerError as error:
        raise ServerError(str(error)) from error


def model_of(spec: PrmSpec) -> str:
    """Return the name under which the server knows the model."""
    model = spec.option("model", None)
    if not isinstance(model, str) or not model:
        raise SpecError("A server family needs the option model: the name the server uses for the model.")
    return model
