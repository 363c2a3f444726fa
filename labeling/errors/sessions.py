"""Errors of logging in."""

from labeling.errors.base import LabelingError


class WrongCredentials(LabelingError):
    """User name and password do not belong together (or the account is switched off)."""

    code = "wrong_credentials"
    status = 401
    sentence = "User name and password do not match. Check both and try again."


class LockedOut(LabelingError):
    """Too many failed logins; `retry_at` (ISO 8601, UTC) says when the next one is looked at."""

    code = "locked_out"
    status = 423


class ProviderFailed(LabelingError):
    """The sign-in provider does not answer, or not as its standard says."""

    code = "provider_failed"
    status = 502
    sentence = "The sign-in provider does not answer as it should. Try again in a minute, or tell your operator."


class LogoutRefused(LabelingError):
    """A logout token that is not taken: not the provider's, not for us, or no logout token."""

    code = "logout_refused"


class SignInRefused(LabelingError):
    """Who came back from the provider is not let in. `why`: expired, refused, no_account, switched_off,
    groups_left_out, not_proved."""

    code = "sign_in_refused"
    status = 403
    sentence = "You were not signed in."


class NoNewPassword(LabelingError):
    """An account with a password, on a site whose people sign in with a provider."""

    code = "no_new_password"
    status = 403
    sentence = "This site has no accounts with passwords. Log in first, then open the invitation again."


class CsrfFailed(LabelingError):
    """A browser's write without the page's own token: another site may have sent it."""

    code = "csrf_failed"
    status = 403
    sentence = "This page is out of date. Reload it and try again."


class OtherPerson(LabelingError):
    """The page belongs to somebody else (`X-Stepmark-Person`) than who has since logged in in its browser."""

    code = "other_person"
    status = 401
    sentence = "Somebody else has logged in in this browser. Load the page again."


class TokenReadOnly(LabelingError):
    """The API token was made to read; its person may do more."""

    code = "token_read_only"
    status = 403
    sentence = "This API token only reads. Make one that may write, under Account, and use that."


class LoginInBrowserNeeded(LabelingError):
    """Something an API token may not do, so that a leaked token cannot outlive its revocation."""

    code = "session_needed"
    status = 403
    sentence = "An API token cannot do this. Log in with your password in a browser."


class SecondFactorNeeded(LabelingError):
    """The password is right, and the account has a second factor: send `code`, too, or log in with a passkey."""

    code = "second_factor_needed"
    status = 401
    sentence = "Type the code that your app shows now, or one of your recovery codes."


class WrongCode(LabelingError):
    """It is not what the app shows now."""

    code = "wrong_code"
    status = 400
    sentence = "This is not the code that belongs to this secret now. Is the clock of your device right?"


class PasskeyRefused(LabelingError):
    """The browser's answer does not hold, or the passkey is nobody's here."""

    code = "passkey_refused"
    status = 400
    sentence = "This passkey was not accepted. Try again, or log in with your password."


class CheckAgain(LabelingError):
    """What is asked for does harm in other hands, and the person's last proof is a while ago (RECHECK_MINUTES)."""

    code = "check_again"
    status = 403
    sentence = "Confirm that it is you (POST /api/session/check), then send this again."


class NoMail(LabelingError):
    """Something that goes by mail, on a site that sends none."""

    code = "no_mail"
    status = 409
    sentence = "This site sends no mail: its operator has set no mail server, or no address of the site."


class LinkOver(LabelingError):
    """A link to set a password that was used, is too old, or was cut off."""

    code = "link_over"
    status = 409
    sentence = "This link is used up, too old or incomplete. Ask for a new one on the login page."
