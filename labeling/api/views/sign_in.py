"""Logging in: passkeys, second factors, forgotten passwords, and the browsers in which a person is logged in."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes, throttle_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.actions import forgotten_passwords, logged_in, passkeys, people, rechecks, second_factors
from labeling.api.answers import With, answer
from labeling.api.authentication import BrowserSession
from labeling.api.checks import OWN_ACCOUNT, OWN_ACCOUNT_CHECKED
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.session import SessionOut
from labeling.api.serializers.sign_in import (
    BrowserOut,
    CheckIn,
    CodeAppOut,
    CodeIn,
    EndedOut,
    ForgotPasswordIn,
    NewPasskeyIn,
    NewPasswordIn,
    PasskeyIn,
    PasskeyOptionsOut,
    RecoveryCodesOut,
    SecondFactorsOut,
)
from labeling.api.throttles import LoginThrottle
from labeling.api.views.session import session_of
from labeling.errors import PasskeyRefused
from labeling.queries import sign_in as queries


@extend_schema(request=None, responses=PasskeyOptionsOut)
@api_view(["POST"])
@permission_classes([AllowAny])
@throttle_classes([LoginThrottle])
def begin_passkey_login(request: Request) -> Response:
    """What the browser needs to log in with a passkey, or to confirm with one who you are."""
    BrowserSession().enforce_csrf(request)
    return answer(PasskeyOptionsOut, {"public_key": passkeys.begin_passkey_login(request._request)})


@extend_schema(request=PasskeyIn, responses=SessionOut)
@api_view(["POST"])
@permission_classes([AllowAny])
@throttle_classes([LoginThrottle])
def use_passkey(request: Request) -> Response:
    """Log in with a passkey. If you are logged in, confirm with your own who you are."""
    BrowserSession().enforce_csrf(request)
    person = passkeys.use_passkey(request._request, read_body(request, PasskeyIn)["credential"])
    if not request.user.is_authenticated:
        people.start_session(request._request, person, how="passkey")
    elif person == request.user:
        rechecks.note_check(request._request)
    else:
        raise PasskeyRefused("This passkey belongs to another account.")
    return answer(SessionOut, session_of(person))


@extend_schema(request=CheckIn, responses=SessionOut)
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT)
@throttle_classes([LoginThrottle])
def check_again(request: Request) -> Response:
    """Confirm with your password who you are. Needed from time to time before sensitive actions."""
    body = read_body(request, CheckIn)
    rechecks.check_again(request._request, signed_in(request), **body)
    return answer(SessionOut, session_of(signed_in(request)))


@extend_schema(request=ForgotPasswordIn, responses=SessionOut)
@api_view(["POST"])
@permission_classes([AllowAny])
@throttle_classes([LoginThrottle])
def forget_password(request: Request) -> Response:
    """Mail a link that sets a new password, if such an account with an address exists. The answer does not say."""
    BrowserSession().enforce_csrf(request)
    forgotten_passwords.forget_password(read_body(request, ForgotPasswordIn)["name"])
    return answer(SessionOut, session_of(request.user))


@extend_schema(request=NewPasswordIn, responses=SessionOut)
@api_view(["POST"])
@permission_classes([AllowAny])
@throttle_classes([LoginThrottle])
def set_forgotten_password(request: Request) -> Response:
    """Set a new password with a mailed link. Ends all sessions of the account, and does not log you in."""
    BrowserSession().enforce_csrf(request)
    body = read_body(request, NewPasswordIn)
    forgotten_passwords.set_forgotten_password(body["person"], body["token"], body["new_password"])
    return answer(SessionOut, session_of(request.user))


@extend_schema(parameters=PAGE_PARAMETERS, responses=paged(BrowserOut))
@api_view(["GET"])
def list_browsers(request: Request) -> Response:
    """Where you are logged in, newest first."""
    own = request._request.session.session_key
    rows = queries.browsers_of(signed_in(request))
    return page_of(
        request, rows, BrowserOut, prepared=lambda page: [With(row, is_this=row.session_key == own) for row in page]
    )


@extend_schema(request=None, responses=EndedOut)
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT)
def end_browser(request: Request, browser_id: int) -> Response:
    """Log out in one browser."""
    logged_in.end_browser(signed_in(request), browser_id)
    return answer(EndedOut, {"ended": 1})


@extend_schema(request=None, responses=EndedOut)
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT)
def end_other_browsers(request: Request) -> Response:
    """Log out in all browsers except this one."""
    ended = logged_in.end_browsers(signed_in(request), but=request._request.session.session_key)
    return answer(EndedOut, {"ended": ended})


def factors_of(person: Any) -> dict[str, Any]:
    """The value for SecondFactorsOut."""
    return {
        "factors": queries.factors_of(person),
        "recovery_codes_left": queries.recovery_codes_left(person),
        "passkeys": settings.PASSKEYS and queries.may_have_password(person),
        "password": person.has_usable_password() and queries.may_have_password(person),
    }


@extend_schema(responses=SecondFactorsOut)
@api_view(["GET"])
def get_factors(request: Request) -> Response:
    """Your second factors."""
    return answer(SecondFactorsOut, factors_of(signed_in(request)))


@extend_schema(request=None, responses={201: CodeAppOut})
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT_CHECKED)
def begin_code_app(request: Request) -> Response:
    """Start setting up an app that shows codes. It takes effect once you have sent one of its codes."""
    site = request._request.get_host()
    return answer(CodeAppOut, second_factors.begin_code_app(signed_in(request), site=site), 201)


@extend_schema(request=CodeIn, responses=RecoveryCodesOut)
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT_CHECKED)
@throttle_classes([LoginThrottle])
def confirm_code_app(request: Request) -> Response:
    """Confirm the app with one of its codes. From the next login on, a code is required."""
    codes = second_factors.confirm_code_app(signed_in(request), read_body(request, CodeIn)["code"])
    return answer(RecoveryCodesOut, {"recovery_codes": codes})


@extend_schema(request=None, responses=PasskeyOptionsOut)
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT_CHECKED)
def begin_passkey(request: Request) -> Response:
    """What the browser needs to create a passkey."""
    return answer(PasskeyOptionsOut, {"public_key": passkeys.begin_passkey(request._request, signed_in(request))})


@extend_schema(request=NewPasskeyIn, responses={201: RecoveryCodesOut})
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT_CHECKED)
def finish_passkey(request: Request) -> Response:
    """Store the passkey that the browser created."""
    body = read_body(request, NewPasskeyIn)
    _, codes = passkeys.finish_passkey(request._request, signed_in(request), **body)
    return answer(RecoveryCodesOut, {"recovery_codes": codes}, 201)


@extend_schema(request=None, responses=SecondFactorsOut)
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT_CHECKED)
def remove_factor(request: Request, factor_id: int) -> Response:
    """Remove a second factor. It is no longer required."""
    second_factors.remove_factor(signed_in(request), factor_id)
    return answer(SecondFactorsOut, factors_of(signed_in(request)))


@extend_schema(request=None, responses={201: RecoveryCodesOut})
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT_CHECKED)
def renew_recovery_codes(request: Request) -> Response:
    """Create ten new recovery codes. The old ones stop working."""
    return answer(RecoveryCodesOut, {"recovery_codes": second_factors.renew_recovery_codes(signed_in(request))}, 201)
