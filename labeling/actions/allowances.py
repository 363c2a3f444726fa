"""What a person has used of their allowances (labeling.configs.allowances), counted in Valkey by the hour."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.db.models import Q
from django.utils import timezone

from labeling.configs.allowances import ALLOWANCES, HOUR
from labeling.errors import AllowanceUsed
from labeling.models import ApiToken, User


def spend(person: User, name: str, amount: int = 1) -> None:
    """Count something that the person does. Raises AllowanceUsed, which says when they may do it again."""
    allowance, most = ALLOWANCES[name], settings.ALLOWANCES[name]
    if not most:
        return
    counts: Any = caches["default"]
    now = int(time.time())
    hour = now // allowance.seconds
    if counts.count(f"allowance-{name}-{person.pk}-{hour}", amount, allowance.seconds) <= most:
        return
    again = datetime.fromtimestamp((hour + 1) * allowance.seconds, UTC)
    reached = allowance.reached.format(most=f"{most:,}")
    raise AllowanceUsed(
        f"{reached} Try again after {again:%H:%M} UTC, or ask the operator for more.",
        retry_after=(hour + 1) * allowance.seconds - now,
        allowance=name,
        retry_at=again.isoformat().replace("+00:00", "Z"),
    )


def require_token_left(person: User) -> None:
    """Raise AllowanceUsed if the person has too many API tokens."""
    allowance, most, now = ALLOWANCES["tokens"], settings.ALLOWANCES["tokens"], timezone.now()
    if not most:
        return
    live = Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=now))
    fresh = Q(created_at__gt=now - timedelta(seconds=HOUR))
    if ApiToken.objects.filter(live | fresh, user=person).count() >= most:
        reached = allowance.reached.format(most=f"{most:,}")
        raise AllowanceUsed(
            f"{reached} Revoke tokens you no longer use, and try again in an hour.",
            retry_after=HOUR,
            allowance=allowance.name,
        )
