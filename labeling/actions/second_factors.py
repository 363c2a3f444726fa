"""Second factors: an app that shows codes (RFC 6238, by pyotp), and recovery codes. Passkeys: `passkeys.py`."""

import base64
import hashlib
import hmac
import re
import secrets
import time
import unicodedata
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.core.cache import caches
from django.db import transaction
from django.utils import timezone

from labeling.actions import audit_log
from labeling.actions.api_tokens import hash_of
from labeling.errors import InvalidFields, LockedOut, NotFound, WrongCode
from labeling.models import RecoveryCode, SecondFactor, User
from labeling.queries.sign_in import factors_of

HALF_MINUTE = 30
HOUR = 3600
CODES = 10
MOST_CODES = 10  # wrong ones per hour: of a million codes, three are right at any time
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # no characters that look like others
DIGITS = re.compile(r"[0-9]{6}")
TOTP, PASSKEY = SecondFactor.Kind.TOTP, SecondFactor.Kind.PASSKEY


class NewCodeApp(NamedTuple):
    """What the app needs, as a picture or typed."""

    secret: str
    uri: str
    picture: str


@transaction.atomic
def begin_code_app(person: User, *, site: str) -> NewCodeApp:
    """Create a secret for a code app. It counts once a code from the app has been typed. Raises InvalidFields."""
    import pyotp  # noqa: PLC0415  # loaded by the first who wants it
    import segno  # noqa: PLC0415

    User.objects.select_for_update(no_key=True).get(pk=person.pk)
    own = SecondFactor.objects.filter(user=person, kind=TOTP)
    if own.filter(confirmed_at__isnull=False).exists():
        raise InvalidFields("You already have a code app. Remove it before you set up another one.", fields={})
    own.delete()
    factor = SecondFactor.objects.create(user=person, kind=TOTP, name="Code app")
    secret = _secret_of(factor)
    uri = pyotp.TOTP(secret).provisioning_uri(name=person.username, issuer_name=f"Stepmark {site}".strip())
    picture = segno.make(uri, error="m").svg_data_uri(border=2, scale=4, light="#fff")
    return NewCodeApp(secret, uri, picture)


@transaction.atomic
def confirm_code_app(person: User, code: str) -> list[str]:
    """Make the app count. Returns recovery codes as `first_recovery_codes` does. Raises WrongCode, NotFound."""
    factor = SecondFactor.objects.select_for_update().filter(user=person, kind=TOTP, confirmed_at=None).first()
    if factor is None:
        raise NotFound
    step = _step_of(factor, code)
    if step is None:
        raise WrongCode
    factor.counter, factor.confirmed_at = step, timezone.now()
    factor.save(update_fields=["counter", "confirmed_at"])
    audit_log.record("second_factor.add", actor=person, target=f"factor {factor.pk}", kind=TOTP)
    return first_recovery_codes(person)


def first_recovery_codes(person: User) -> list[str]:
    """Return new codes with a person's first factor, whatever exists: old codes may belong to someone else who used
    this browser. With a further factor, return new codes only if none is left.
    """
    if factors_of(person).count() > 1 and RecoveryCode.objects.filter(user=person, used_at=None).exists():
        return []
    return _new_codes(person)


def renew_recovery_codes(person: User) -> list[str]:
    """Return ten new codes, shown only now; earlier ones stop working. Raises InvalidFields without a factor."""
    if not factors_of(person).exists():
        raise InvalidFields("Recovery codes come with your first second factor. Set one up.", fields={})
    return _new_codes(person)


@transaction.atomic
def _new_codes(person: User) -> list[str]:
    RecoveryCode.objects.filter(user=person).delete()
    codes = [_code() for _ in range(CODES)]
    RecoveryCode.objects.bulk_create(RecoveryCode(user=person, code_hash=hash_of(_bare(code))) for code in codes)
    audit_log.record("recovery_codes.renew", actor=person, target=f"person {person.pk}")
    return codes


@transaction.atomic
def remove_factor(person: User, factor_id: int) -> SecondFactor:
    """Remove a factor. Removing the last one also removes the recovery codes. Raises NotFound."""
    factor = SecondFactor.objects.select_for_update().filter(user=person, pk=factor_id).first()
    if factor is None:
        raise NotFound
    audit_log.record("second_factor.remove", actor=person, target=f"factor {factor.pk}", kind=factor.kind)
    factor.delete()
    if not factors_of(person).exists():
        RecoveryCode.objects.filter(user=person).delete()
    return factor


@transaction.atomic
def reset_factors(person: User) -> int:
    """Remove the factors of a person who lost everything, so that the password alone lets them in again.

    For the operator. Returns how many factors there were.
    """
    found = SecondFactor.objects.filter(user=person)
    removed = found.count()
    found.delete()
    RecoveryCode.objects.filter(user=person).delete()
    audit_log.record("second_factor.reset", actor=None, target=f"person {person.pk}", removed=removed)
    return removed


@transaction.atomic
def use_code(person: User, typed: str) -> bool:
    """Return whether this is an unused code of the person's app, or a recovery code, which is used up by this."""
    bare = _bare(typed)
    if DIGITS.fullmatch(bare):
        own = factors_of(person).select_for_update().filter(kind=TOTP)
        return any(_use_step(factor, bare) for factor in own)
    unused = RecoveryCode.objects.filter(user=person, code_hash=hash_of(bare), used_at=None)
    if not unused.update(used_at=timezone.now()):
        return False
    audit_log.record("recovery_codes.use", actor=person, target=f"person {person.pk}")
    return True


def note_code(person: User) -> None:
    """Count a code that came with the person's password, before it is checked. Raises LockedOut if it is not to be
    checked.

    If failures were counted per address, many addresses could try all codes. This count is per person and hour, and
    starts again with another password: nobody can increase it without the password.
    """
    counts: Any = caches["default"]
    now = int(time.time())
    came = counts.count(_codes_of(person, now), 1, HOUR)
    if came <= MOST_CODES:
        return
    again = datetime.fromtimestamp((now // HOUR + 1) * HOUR, UTC)
    if came == MOST_CODES + 1:
        audit_log.record("second_factor.locked", actor=None, target=f"person {person.pk}")
    raise LockedOut(
        f"Too many wrong codes. Try again after {again:%H:%M} UTC, or log in with a passkey. "
        "If it was not you, someone knows your password: change it.",
        retry_at=again.isoformat().replace("+00:00", "Z"),
    )


def forget_codes(person: User) -> None:
    """Reset the count after a right code."""
    caches["default"].delete(_codes_of(person, int(time.time())))


def _codes_of(person: User, now: int) -> str:
    of_password = hashlib.sha256(person.password.encode()).hexdigest()[:16]
    return f"codes-{person.pk}-{of_password}-{now // HOUR}"


def _use_step(factor: SecondFactor, code: str) -> bool:
    step = _step_of(factor, code)
    if step is None or step <= factor.counter:
        return False
    factor.counter, factor.last_used_at = step, timezone.now()
    factor.save(update_fields=["counter", "last_used_at"])
    return True


def _step_of(factor: SecondFactor, code: str) -> int | None:
    """Return the half minute of this code: the present, previous or next one (clocks differ)."""
    import pyotp  # noqa: PLC0415

    app, now = pyotp.TOTP(_secret_of(factor)), int(time.time()) // HALF_MINUTE
    typed = _bare(code).encode()  # as text it would have to be ASCII, which letters need not be
    found = [step for step in (now, now - 1, now + 1) if hmac.compare_digest(app.generate_otp(step).encode(), typed)]
    return found[0] if found else None


def _secret_of(factor: SecondFactor) -> str:
    made = hmac.new(settings.SECRET_KEY.encode(), f"code app:{factor.salt}".encode(), hashlib.sha256).digest()
    return base64.b32encode(made[:20]).decode()


def _code() -> str:
    letters = "".join(secrets.choice(LETTERS) for _ in range(CODES))
    return f"{letters[:5]}-{letters[5:]}"


def _bare(typed: str) -> str:
    """Remove separators. Full-width letters become plain letters, and digits of any script become digits."""
    plain = "".join(str(unicodedata.decimal(one, one)) for one in unicodedata.normalize("NFKC", typed))
    return re.sub(r"[\s-]", "", plain).lower()
