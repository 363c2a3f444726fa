"""The page's drafts, answered before Django and the REST framework do their own work, because most requests for a label
are drafts.

The common case is saved in one statement. Anything else (a session not cached here, a page of another person, a large
draft, a draft based on older work, anything that would be refused) changes nothing and goes on to `labels.save_draft`,
which answers it. So refusals have one home.
"""

import re
from collections.abc import Callable
from io import BytesIO
from typing import Any

import orjson
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework.exceptions import APIException
from rest_framework.settings import api_settings

from labeling.actions.label_fast_path import save_own_draft_fast
from labeling.actions.labels import FREE_DRAFT_BYTES
from labeling.api.answers import rendered
from labeling.api.authentication import PAGES_PERSON, BrowserSession
from labeling.api.requests import checked
from labeling.api.serializers.labels import DraftIn, DraftOut
from labeling.errors import CsrfFailed
from labeling.queries.sessions import known_session

ADDRESS = re.compile(r"/api/labels/([0-9]{1,18})/draft")
PLAIN = {"CONTENT_TYPE": "application/json", "HTTP_ACCEPT": "application/json", "QUERY_STRING": ""}


def answer_drafts(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware that runs after those needed by every answer, and before those that determine who is asking."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        named = ADDRESS.fullmatch(request.path) if request.method == "PUT" else None
        return (named and answer_draft_fast(request, int(named[1]))) or get_response(request)

    return answer


def answer_draft_fast(request: HttpRequest, label_id: int) -> HttpResponse | None:
    """The answer to a draft of the common kind. For any other, None, and nothing has changed."""
    session = known_session(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    if session is None or request.META.get(PAGES_PERSON, str(session.person)) != str(session.person):
        return None
    body = is_plain(request) and read_draft(request)
    if not body:
        return None
    draft = orjson.dumps(body["draft"])
    if len(draft) > FREE_DRAFT_BYTES:
        return None
    try:
        saved = save_own_draft_fast(session, label_id, draft, body["base_revision"], now=timezone.now())
    except (OperationalError, InterfaceError):
        return None
    return written(rendered(DraftOut, saved)) if saved else None


def is_plain(request: HttpRequest) -> bool:
    """Whether the page itself sent the request, to one of our hosts. Raises DisallowedHost."""
    request.get_host()
    about = request.META
    if "HTTP_AUTHORIZATION" in about or any(about.get(name, "") != value for name, value in PLAIN.items()):
        return False
    try:
        BrowserSession().enforce_csrf(request)  # type: ignore[arg-type]  # looks at the headers alone
    except CsrfFailed:
        return False
    return True


def read_draft(request: HttpRequest) -> dict[str, Any] | None:
    """The body as DraftIn reads it, or None if it is not one or is too large."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > 2 * FREE_DRAFT_BYTES:
        return None
    try:
        parser: Any = api_settings.DEFAULT_PARSER_CLASSES[0]
        return checked(parser().parse(BytesIO(request.body)), DraftIn)
    except APIException:
        return None


def written(answer: dict[str, Any]) -> HttpResponse:
    """The answer as the REST framework would send it."""
    renderer: Any = api_settings.DEFAULT_RENDERER_CLASSES[0]
    content = renderer().render(answer)
    return HttpResponse(content, content_type="application/json", headers={"Content-Length": str(len(content))})
