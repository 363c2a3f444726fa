"""One id for each request: in the response header, in each log line about it, and in the work that it started.

It stays with the thread until Django is done with the request, because Django logs a refusal only after the last
middleware.
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
GIVEN = re.compile(r"[\w-]{8,64}", re.ASCII)  # how a proxy may have named the request before us
_current: ContextVar[str] = ContextVar("request_id", default="")


def current_request_id() -> str:
    """Return the id of the request that this thread answers, or that its task came from; "" if there is none."""
    return _current.get()


def new_request_id() -> str:
    """Return an id that is short enough to read out and unlikely to repeat within the life of a log."""
    return uuid4().hex[:16]


def work_for(request_id: str) -> None:
    """Let this thread work for that request from now on; "" for none."""
    _current.set(request_id)


def name_requests(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware, the outermost: every answer states its id. Only a trusted proxy may name a request itself."""

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
