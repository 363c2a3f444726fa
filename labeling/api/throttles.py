"""Rate limits: per address on public routes, and per person for allowances and for starting work."""

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle, SimpleRateThrottle
from rest_framework.views import APIView

from labeling.actions.allowances import spend
from labeling.client_address import counted_ip
from labeling.models import User


class LoginThrottle(SimpleRateThrottle):
    """Password attempts from one address. High enough for a classroom behind one address to log in within a minute."""

    scope = "login"
    rate = "120/min"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        """One count per address."""
        return self.cache_format % {"scope": self.scope, "ident": counted_ip(request)}


class InvitationThrottle(LoginThrottle):
    """Attempts at invitation links from one address."""

    scope = "invitation"
    rate = "60/min"


class StartThrottle(SimpleRateThrottle):
    """Rounds, gradings and the like started by one person. The answer's Retry-After says when to try again."""

    scope = "start"
    rate = "20/min"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        """One count per person."""
        return self.cache_format % {"scope": self.scope, "ident": request.user.pk}


def allowance(name: str) -> type[BaseThrottle]:
    """For `throttle_classes`: each request uses one of the person's allowance. Raises AllowanceUsed."""

    class Spends(BaseThrottle):
        def allow_request(self, request: Request, view: APIView) -> bool:
            if isinstance(request.user, User):  # always a user: the permission was checked before
                spend(request.user, name)
            return True

    return Spends
