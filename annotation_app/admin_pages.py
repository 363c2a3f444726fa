"""Guards in front of the pages under /admin. They can be switched off, limit password attempts, make every login there
a login of the site, and ask users to confirm who they are now and then.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import LoginView
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from rest_framework.views import APIView

from annotation_app.exception_handler import not_found
from labeling.actions.people import start_session
from labeling.actions.rechecks import require_recent_check
from labeling.api.throttles import LoginThrottle
from labeling.errors import CheckAgain

HOME = "/admin/"
LOGIN = "/admin/login/"  # the only address that takes a password from strangers
OPEN = (LOGIN, "/admin/logout/", "/admin/jsi18n/")
TOO_MANY = "Too many login attempts from this address. Try again in {} s."
AGAIN = (
    "It has been a while since you confirmed who you are. Log in again to continue. If you use a second factor, a "
    "passkey or a provider, log in on the site's own page (log out there first), then open /admin."
)


def guard_admin_pages(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: 404 if ADMIN_PAGES is off; a login counts with those of the API."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if not request.path.startswith("/admin"):
            return get_response(request)
        if not settings.ADMIN_PAGES:
            return not_found(request, Http404())
        return refuse_too_many(request) or get_response(request)

    return answer


def refuse_too_many(request: HttpRequest) -> HttpResponse | None:
    """Return 429 for what the API would refuse, too."""
    if request.path != LOGIN or request.method != "POST":
        return None
    throttle = LoginThrottle()
    if throttle.allow_request(request, APIView()):  # type: ignore[arg-type]  # looks at the address alone
        return None
    seconds = str(int(throttle.wait() or 1) + 1)
    text = TOO_MANY.format(seconds)
    return HttpResponse(text, status=429, content_type="text/plain; charset=utf-8", headers={"Retry-After": seconds})


def ask_who_it_is(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware, after the session's: under /admin, a person whose proof is older than RECHECK_MINUTES is asked again.

    This includes reading, so that nobody fills in a form that is then refused.
    """

    def answer(request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith(HOME) and request.path not in OPEN and is_stale(request):
            came_to = request.get_full_path() if request.method == "GET" else request.path
            return HttpResponseRedirect(f"{LOGIN}?{urlencode({'next': came_to})}")
        return get_response(request)

    return answer


def is_stale(request: HttpRequest) -> bool:
    """Return whether somebody is logged in whose last proof is too old."""
    if not request.user.is_authenticated:
        return False
    try:
        require_recent_check(request)
    except CheckAgain:
        return True
    return False


class AdminLogin(LoginView):
    """The login form of Django's admin site. It starts a session like any other: listed, audited, ended from elsewhere.

    People who are already let in see it only when they have to prove again who they are.
    """

    template_name = "admin/login.html"
    authentication_form = AdminAuthenticationForm
    next_page = HOME

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the form, with the reason if the person is logged in."""
        if is_stale(request):
            messages.warning(request, AGAIN)
        elif admin.site.has_permission(request):
            return HttpResponseRedirect(self.get_success_url())
        return super().get(request, *args, **kwargs)

    def get_context_data(self, **known: Any) -> dict[str, Any]:
        """Return what the admin site's template needs."""
        about = admin.site.each_context(self.request)
        who: dict[str, Any] = {"app_path": self.request.get_full_path(), "username": self.request.user.get_username()}
        if is_stale(self.request):
            who["user"] = AnonymousUser()  # otherwise it says that they may not enter
        return super().get_context_data(**{**about, "title": "Log in", **who, **known})

    def form_valid(self, form: AdminAuthenticationForm) -> HttpResponse:  # type: ignore[override]
        """Log the person in as the site's own page does."""
        start_session(self.request, form.get_user())
        return HttpResponseRedirect(self.get_success_url())
