"""Who is asking, and what they sent."""

from functools import cache
from typing import Any

from rest_framework.exceptions import NotAuthenticated, ValidationError
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from labeling.models import User


def signed_in(request: Request) -> User:
    """The person behind the request. The default permission lets nobody else through; this says so to a reader."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


def in_browser(request: Request) -> bool:
    """Whether a page asks: a program brings a token, which no other server may see."""
    return request.auth is None


def read_body(request: Request, shape: type[Serializer]) -> dict[str, Any]:
    """The request's body, checked by the serializer `shape`. Raises ValidationError."""
    return checked(request.data, shape)


def checked(body: Any, shape: type[Serializer]) -> dict[str, Any]:
    """As `shape(data=body).is_valid(raise_exception=True)`, but with one serializer for all requests: checking changes
    nothing in it, and making one copies every field that is declared. Raises ValidationError."""
    if body is None:
        raise ValidationError({"non_field_errors": ["No data provided"]})
    return _checker(shape).run_validation(body)


@cache
def _checker(shape: type[Serializer]) -> Serializer:
    checker = shape()
    checker.fields  # noqa: B018  # made at the first look: here, before two threads look
    return checker
