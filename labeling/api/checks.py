"""What a route may require in addition to a login: a browser, or that the person recently confirmed who they are."""

from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from labeling.actions.rechecks import require_recent_check
from labeling.api.requests import in_browser
from labeling.errors import LoginInBrowserNeeded


class InBrowser(BasePermission):
    """Not for API tokens: changes made with a token must not outlive it."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Raises LoginInBrowserNeeded."""
        if not in_browser(request):
            raise LoginInBrowserNeeded
        return True


class RecentlyChecked(BasePermission):
    """The person recently confirmed who they are. Programs are not asked: their token is the proof."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Raises CheckAgain."""
        if in_browser(request):
            require_recent_check(request._request)
        return True


SENSITIVE = [IsAuthenticated, RecentlyChecked]
OWN_ACCOUNT = [IsAuthenticated, InBrowser]
OWN_ACCOUNT_CHECKED = [IsAuthenticated, InBrowser, RecentlyChecked]
