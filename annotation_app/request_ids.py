"""One id for each request: in the response header, in each log line about it, and in the work that it started.

It stays with the thread until Django is done with the request, because what Django logs of a refusal comes after the
last middleware.
"""

import re
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.signals import request_finished
from django.http import HttpRequest, HttpResponseBase

HEADER = "X-Request-Id"
GIVEN = re.compile(r"[\w-]{8,64}", re.ASCII)  # what a proxy may have named the request before us
_current: ContextVar[str] = ContextVar("request_id", default="")


def current_request_id() -> str:
    """The request that this thread answers, or that the task it does came from; "" where there is none."""
    return _current.get()


def new_request_id() -> str:
    """Short enough to be read out, and unlikely to come twice within the life of a log."""
    return uuid4().hex[:16]


def work_for(request_id: str) -> None:
    """From now on this thread works for that request; "" for none."""
    _current.set(request_id)


def name_requests(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware, the outermost: every answer says its id. Only a proxy that is believed may name a request itself."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get(HEADER, "") if settings.PROXIES else ""
        work_for(given if GIVEN.fullmatch(given) else new_request_id())
        response = get_response(request)
        response.headers[HEADER] = current_request_id()
        return response

    return answer


def _forget(**_: Any) -> None:
    work_for("")


request_finished.connect(_forget, dispatch_uid="request_ids")
