"""The two projects that every address is asked for: made once a module, because each test undoes all it did."""

from collections.abc import Iterator
from datetime import timedelta
from typing import NamedTuple

import pytest
from django.db import transaction
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from labeling.models import Label
from labeling.tests.security.world import Home, build_home


class Homes(NamedTuple):
    """A project with everything in it, and another that its people know nothing of."""

    own: Home
    other: Home


@pytest.fixture(scope="module")
def built_homes(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Homes]:
    """In a transaction around those of the module's tests, which become savepoints in it."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield Homes(build_home(), build_home())
        transaction.set_rollback(True)


@pytest.fixture
def homes(built_homes: Homes, db: None) -> Homes:
    """As if just made: leases and the time to take a submission back run on while the module's tests go by."""
    now = timezone.now()
    Label.objects.filter(submitted_at__isnull=False).update(submitted_at=now)
    Label.objects.filter(status__in=["open", "prefetched"]).update(leased_until=now + timedelta(minutes=10))
    return built_homes
