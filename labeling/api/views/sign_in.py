"""Getting in: passkeys, second factors, forgotten passwords, and the browsers that a person is logged in with."""

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
    """What the browser needs to log in with a passkey, or to confirm with one that it is the same person."""
    BrowserSession().enforce_csrf(request)
    return answer(PasskeyOptionsOut, {"public_key": passkeys.begin_passkey_login(request._request)})


@extend_schema(request=PasskeyIn, responses=SessionOut)
@api_view(["POST"])
@permission_classes([AllowAny])
@throttle_classes([LoginThrottle])
def use_passkey(request: Request) -> Response:
    """Log in with a passkey; who is logged in confirms with theirs that it is they."""
    BrowserSession().enforce_csrf(request)
    person = passkeys.use_passkey(request._request, read_body(request, PasskeyIn)["credential"])
    if not request.user.is_authenticated:
        people.start_session(request._request, person, how="passkey")
    elif person == request.user:
        rechecks.note_check(request._request)
    else:
        raise PasskeyRefused("This passkey is somebody else's.")
    return answer(SessionOut, session_of(person))


@extend_schema(request=CheckIn, responses=SessionOut)
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT)
@throttle_classes([LoginThrottle])
def check_again(request: Request) -> Response:
    """Confirm by the password that it is the same person; needed now and then before what does harm in other hands."""
    body = read_body(request, CheckIn)
    rechecks.check_again(request._request, signed_in(request), **body)
    return answer(SessionOut, session_of(signed_in(request)))


@extend_schema(request=ForgotPasswordIn, responses=SessionOut)
@api_view(["POST"])
@permission_classes([AllowAny])
@throttle_classes([LoginThrottle])
def forget_password(request: Request) -> Response:
    """Send a link that sets a new password, if there is such an account with an address. The answer does not say."""
    BrowserSession().enforce_csrf(request)
    forgotten_passwords.forget_password(read_body(request, ForgotPasswordIn)["name"])
    return answer(SessionOut, session_of(request.user))


@extend_schema(request=NewPasswordIn, responses=SessionOut)
@api_view(["POST"])
@permission_classes([AllowAny])
@throttle_classes([LoginThrottle])
def set_forgotten_password(request: Request) -> Response:
    """Set the password that the link by mail is for. It logs nobody in, and everybody out who was."""
    BrowserSession().enforce_csrf(request)
    body = read_body(request, NewPasswordIn)
    forgotten_passwords.set_forgotten_password(body["person"], body["token"], body["new_password"])
    return answer(SessionOut, session_of(request.user))


@extend_schema(parameters=PAGE_PARAMETERS, responses=paged(BrowserOut))
@api_view(["GET"])
def list_browsers(request: Request) -> Response:
    """Where the person is logged in, newest first."""
    own = request._request.session.session_key
    rows = queries.browsers_of(signed_in(request))
    return page_of(
        request, rows, BrowserOut, prepared=lambda page: [With(row, is_this=row.session_key == own) for row in page]
    )


@extend_schema(request=None, responses=EndedOut)
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT)
def end_browser(request: Request, browser_id: int) -> Response:
    """Log out there."""
    logged_in.end_browser(signed_in(request), browser_id)
    return answer(EndedOut, {"ended": 1})


@extend_schema(request=None, responses=EndedOut)
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT)
def end_other_browsers(request: Request) -> Response:
    """Log out everywhere but here."""
    ended = logged_in.end_browsers(signed_in(request), but=request._request.session.session_key)
    return answer(EndedOut, {"ended": ended})


def factors_of(person: Any) -> dict[str, Any]:
    """For SecondFactorsOut."""
    return {
        "factors": queries.factors_of(person),
        "recovery_codes_left": queries.recovery_codes_left(person),
        "passkeys": settings.PASSKEYS and queries.may_have_password(person),
        "password": person.has_usable_password() and queries.may_have_password(person),
    }


@extend_schema(responses=SecondFactorsOut)
@api_view(["GET"])
def get_factors(request: Request) -> Response:
    """The person's second factors."""
    return answer(SecondFactorsOut, factors_of(signed_in(request)))


@extend_schema(request=None, responses={201: CodeAppOut})
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT_CHECKED)
def begin_code_app(request: Request) -> Response:
    """Begin to set up an app that shows codes. It counts once a code of it came."""
    site = request._request.get_host()
    return answer(CodeAppOut, second_factors.begin_code_app(signed_in(request), site=site), 201)


@extend_schema(request=CodeIn, responses=RecoveryCodesOut)
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT_CHECKED)
@throttle_classes([LoginThrottle])
def confirm_code_app(request: Request) -> Response:
    """The app is asked for from the next login on."""
    codes = second_factors.confirm_code_app(signed_in(request), read_body(request, CodeIn)["code"])
    return answer(RecoveryCodesOut, {"recovery_codes": codes})


@extend_schema(request=None, responses=PasskeyOptionsOut)
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT_CHECKED)
def begin_passkey(request: Request) -> Response:
    """What the browser needs to make a passkey."""
    return answer(PasskeyOptionsOut, {"public_key": passkeys.begin_passkey(request._request, signed_in(request))})


@extend_schema(request=NewPasskeyIn, responses={201: RecoveryCodesOut})
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT_CHECKED)
def finish_passkey(request: Request) -> Response:
    """Keep the passkey that the browser made."""
    body = read_body(request, NewPasskeyIn)
    _, codes = passkeys.finish_passkey(request._request, signed_in(request), **body)
    return answer(RecoveryCodesOut, {"recovery_codes": codes}, 201)


@extend_schema(request=None, responses=SecondFactorsOut)
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT_CHECKED)
def remove_factor(request: Request, factor_id: int) -> Response:
    """It is no longer asked for."""
    second_factors.remove_factor(signed_in(request), factor_id)
    return answer(SecondFactorsOut, factors_of(signed_in(request)))


@extend_schema(request=None, responses={201: RecoveryCodesOut})
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT_CHECKED)
def renew_recovery_codes(request: Request) -> Response:
    """Ten new codes; those of before let nobody in any more."""
    return answer(RecoveryCodesOut, {"recovery_codes": second_factors.renew_recovery_codes(signed_in(request))}, 201)
