"""The two projects that every address is asked for: made once a module, because each test undoes all it did."""

from collections.abc import Iterator
from copy import copy, deepcopy
from datetime import timedelta
from typing import NamedTuple

import pytest
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from labeling.models import Label
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_user
from labeling.tests.security.world import Home, build_home

ACTORS = ("anonymous", "stranger", "outsider", "annotator", "owner", "researcher", "admin", "superuser")
# outsider: the admin of another project. owner: the annotator whose labels and token are asked for.


class Homes(NamedTuple):
    """A project with everything in it, and another that its people know nothing of."""

    own: Home
    other: Home
    browsers: dict[str, Browser]

    def browser(self, actor: str) -> Browser:
        """The browser of one of ACTORS, as it was when it had just logged in."""
        browser = copy(self.browsers[actor])
        browser.cookies = deepcopy(browser.cookies)
        return browser


@pytest.fixture(scope="module")
def built_homes(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Homes]:
    """In a transaction around those of the module's tests, which become savepoints in it."""
    with django_db_blocker.unblock(), transaction.atomic():
        own, other = build_home(), build_home()
        yield Homes(own, other, {actor: _log_in(actor, own, other) for actor in ACTORS})
        transaction.set_rollback(True)


def _log_in(actor: str, own: Home, other: Home) -> Browser:
    if actor == "anonymous":
        return Browser()
    if actor in ("stranger", "superuser"):
        return Browser(make_user(is_superuser=actor == "superuser"))
    return Browser(other.people["admin"] if actor == "outsider" else own.people[actor])


@pytest.fixture
def homes(built_homes: Homes, db: None) -> Homes:
    """As if just made: leases and the time to take a submission back run on while the module's tests go by, and what
    one person started is counted.
    """
    cache.clear()
    now = timezone.now()
    Label.objects.filter(submitted_at__isnull=False).update(submitted_at=now)
    Label.objects.filter(status__in=["open", "prefetched"]).update(leased_until=now + timedelta(minutes=10))
    return built_homes
