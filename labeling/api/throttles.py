"""Rate limits: for one address on routes open to strangers, and for one person: their allowances, and starting work."""

from ipaddress import IPv6Address, ip_address

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle, SimpleRateThrottle
from rest_framework.views import APIView

from labeling.actions.allowances import spend
from labeling.models import User


def client_ip(request: HttpRequest | Request) -> str:
    """The address a request came from: whom the outermost trusted proxy saw, or where it names none our own peer.

    X-Forwarded-For counts only as far as TRUSTED_PROXIES goes: what stands before that, anybody may have written.
    """
    told = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if settings.PROXIES else [""]
    return plain_address(told[-min(settings.PROXIES or 1, len(told))]) or str(request.META.get("REMOTE_ADDR", ""))


def plain_address(text: str) -> str:
    """An address as proxies write it, without its port (`8.8.8.8:4000`, `[2001:db8::1]:443`); "" where it is none."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return ""
    if isinstance(address, IPv6Address):
        if address.scope_id:  # Postgres takes none
            return ""
        return str(address.ipv4_mapped or address)
    return str(address)


class LoginThrottle(SimpleRateThrottle):
    """Passwords tried from one address. A classroom behind one address logs in within a minute."""

    scope = "login"
    rate = "120/min"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        """One count per address."""
        return self.cache_format % {"scope": self.scope, "ident": client_ip(request)}


class InvitationThrottle(LoginThrottle):
    """Invitation links tried from one address."""

    scope = "invitation"
    rate = "60/min"


class StartThrottle(SimpleRateThrottle):
    """Rounds and gradings started by one person; the answer's Retry-After says when to try again."""

    scope = "start"
    rate = "20/min"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        """One count per person."""
        return self.cache_format % {"scope": self.scope, "ident": request.user.pk}


def allowance(name: str) -> type[BaseThrottle]:
    """For `throttle_classes`: each request counts as one of the person's allowance. Raises AllowanceUsed."""

    class Spends(BaseThrottle):
        def allow_request(self, request: Request, view: APIView) -> bool:
            if isinstance(request.user, User):  # nobody else comes so far
                spend(request.user, name)
            return True

    return Spends
