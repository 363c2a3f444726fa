"""Who asks, and what they sent."""

from collections.abc import Callable
from functools import cache
from typing import Any

from rest_framework.exceptions import NotAuthenticated, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from labeling.models import User


def signed_in(request: Request) -> User:
    """The person behind the request. The default permission lets nobody else through; this says so to a reader."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


def read_body(request: Request, shape: type[Serializer]) -> dict[str, Any]:
    """The request's body, checked by the serializer `shape`. Raises ValidationError.

    As `shape(data=…).is_valid(raise_exception=True)`, but with one serializer for all requests: checking changes
    nothing in it, and making one copies every field that is declared.
    """
    if request.data is None:
        raise ValidationError({"non_field_errors": ["No data provided"]})
    return _checker(shape).run_validation(request.data)


class ResponseThen(Response):
    """A response after which something more is done: when it was sent, so that nobody can see by the time it took."""

    def __init__(self, data: Any, then: Callable[[], object]) -> None:
        """`then` is called once, by the server's call of `close` (PEP 3333), before the connections are let go of."""
        super().__init__(data)
        self.then: Callable[[], object] | None = then

    def close(self) -> None:
        """Do what remains, then close."""
        then, self.then = self.then, None
        try:
            if then is not None:
                then()
        finally:
            super().close()


@cache
def _checker(shape: type[Serializer]) -> Serializer:
    checker = shape()
    checker.fields  # noqa: B018  # made at the first look: here, before two threads look
    return checker
