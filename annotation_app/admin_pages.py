"""What stands before the pages under /admin: they can be switched off, and passwords are not tried without end."""

from collections.abc import Callable

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from rest_framework.views import APIView

from annotation_app.exception_handler import not_found
from labeling.api.throttles import LoginThrottle

LOGIN = "/admin/login/"  # the only address that takes a password from strangers
TOO_MANY = "Too many logins were tried from this address. Try again in {} s."


def guard_admin_pages(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: 404 where ADMIN_PAGES is off; a login counts with those of the API."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if not request.path.startswith("/admin"):
            return get_response(request)
        if not settings.ADMIN_PAGES:
            return not_found(request, Http404())
        return refuse_too_many(request) or get_response(request)

    return answer


def refuse_too_many(request: HttpRequest) -> HttpResponse | None:
    """429 for what the API would refuse too."""
    if request.path != LOGIN or request.method != "POST":
        return None
    throttle = LoginThrottle()
    if throttle.allow_request(request, APIView()):  # type: ignore[arg-type]  # looks at the address alone
        return None
    seconds = str(int(throttle.wait() or 1) + 1)
    text = TOO_MANY.format(seconds)
    return HttpResponse(text, status=429, content_type="text/plain; charset=utf-8", headers={"Retry-After": seconds})
