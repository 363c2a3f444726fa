"""Serves the built page: index.html for every address that is neither API nor file, under a strict content policy."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_cache_control

NOT_BUILT = "The page is not built yet. Run `make frontend`, then restart the server."


def page(request: HttpRequest) -> HttpResponse:
    """Serve index.html for any address the page's own router knows; never cached, so an upgrade shows at once."""
    index = settings.FRONTEND_DIR / "index.html"
    if not index.is_file():
        return HttpResponse(NOT_BUILT, content_type="text/plain; charset=utf-8", status=503)
    response = HttpResponse(index.read_bytes(), content_type="text/html; charset=utf-8")
    patch_cache_control(response, no_cache=True)
    return response


def content_security_policy(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: every answer, even a file, says where its parts may come from and which devices it never asks for."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", settings.CONTENT_SECURITY_POLICY)
        response.headers.setdefault("Permissions-Policy", settings.PERMISSIONS_POLICY)
        return response

    return answer
