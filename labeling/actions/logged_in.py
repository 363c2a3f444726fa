"""The browsers in which a person is logged in: recorded at login, and logged out from there or from another one."""

from importlib import import_module

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.http import HttpRequest
from django.utils import timezone

from labeling.actions import audit_log
from labeling.client_address import client_ip
from labeling.errors import NotFound
from labeling.models import LoggedIn, User
from labeling.queries.sign_in import browsers_of

SHOWN = 200
AT_ONCE = 10_000  # sessions removed


def note_login(request: HttpRequest, person: User, how: str) -> None:
    """Record this browser as the person's, and remove the rows of their ended sessions."""
    LoggedIn.objects.filter(user=person).exclude(pk__in=browsers_of(person).values("pk")).delete()
    about = {
        "user": person,
        "how": how,
        "browser": request.headers.get("User-Agent", "")[:SHOWN],
        "address": client_ip(request),
        "began_at": timezone.now(),
    }
    # Logging in again in the same browser keeps the session.
    LoggedIn.objects.update_or_create(session_key=request.session.session_key, defaults=about)


def note_new_key(before: str | None, request: HttpRequest) -> None:
    """Record that the session continues under another key."""
    LoggedIn.objects.filter(session_key=before).update(session_key=request.session.session_key)


@transaction.atomic
def end_browser(person: User, browser_id: int) -> LoggedIn:
    """Log the person out in this browser. Raises NotFound."""
    found = browsers_of(person).select_for_update(of=("self",)).filter(pk=browser_id).first()
    if found is None:
        raise NotFound
    end_session(found)
    audit_log.record("session.end", actor=person, target=f"person {person.pk}", browsers=1)
    return found


@transaction.atomic
def end_browsers(person: User, *, but: str | None = None, by: User | None = None) -> int:
    """Log the person out everywhere except in the session `but`. Returns the number of sessions ended."""
    found = list(LoggedIn.objects.filter(user=person).exclude(session_key=but or ""))
    for browser in found:
        end_session(browser)
    if found:
        audit_log.record("session.end", actor=by or person, target=f"person {person.pk}", browsers=len(found))
    return len(found)


def end_session(browser: LoggedIn) -> None:
    """Remove the session from table and cache. Every process checks the table at the next request."""
    _store()(browser.session_key).delete()
    browser.delete()


def end_every_session(person: User) -> None:
    """End all sessions, even those without a LoggedIn row, by reading each session. For people being forgotten."""
    for session in Session.objects.iterator(chunk_size=1_000):
        if session.get_decoded().get(SESSION_KEY) == str(person.pk):
            _store()(session.session_key).delete()


def forget_ended_sessions() -> int:
    """Remove ended sessions, a limited number at a time, and their LoggedIn rows. Returns the number of sessions."""
    over = Session.objects.filter(expire_date__lt=timezone.now()).order_by("expire_date")
    gone: int = Session.objects.filter(pk__in=list(over.values_list("pk", flat=True)[:AT_ONCE])).delete()[0]
    alive = Session.objects.filter(session_key=OuterRef("session_key"))
    LoggedIn.objects.exclude(Exists(alive)).delete()
    return gone


def _store() -> type[SessionBase]:
    store: type[SessionBase] = import_module(settings.SESSION_ENGINE).SessionStore
    return store
