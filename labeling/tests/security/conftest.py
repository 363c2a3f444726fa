"""The two projects used for every address. They are made once per module, because each test undoes its changes."""

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
# outsider: the admin of another project. owner: the annotator whose labels and token are requested.


class Homes(NamedTuple):
    """A project with everything in it, and another one that its people know nothing about."""

    own: Home
    other: Home
    browsers: dict[str, Browser]

    def browser(self, actor: str) -> Browser:
        """Return the browser of one of ACTORS, as it was after logging in."""
        browser = copy(self.browsers[actor])
        browser.cookies = deepcopy(browser.cookies)
        return browser


@pytest.fixture(scope="module")
def built_homes(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Homes]:
    """Make the projects in a transaction around the module's tests, whose own transactions become savepoints."""
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
    """Refresh the projects: leases and the time to take back a submission run on during the module's tests, and
    allowances count what a person started.
    """
    cache.clear()
    now = timezone.now()
    Label.objects.filter(submitted_at__isnull=False).update(submitted_at=now)
    Label.objects.filter(status__in=["open", "prefetched"]).update(leased_until=now + timedelta(minutes=10))
    return built_homes
