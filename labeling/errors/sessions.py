"""Errors of logging in."""

from labeling.errors.base import LabelingError


class WrongCredentials(LabelingError):
    """The user name and password do not match, or the account is switched off."""

    code = "wrong_credentials"
    status = 401
    sentence = "The user name and password do not match. Check both and try again."


class LockedOut(LabelingError):
    """Too many failed logins; `retry_at` (ISO 8601, UTC) says when you can try again."""

    code = "locked_out"
    status = 423


class ProviderFailed(LabelingError):
    """The sign-in provider does not answer, or its answer breaks its standard."""

    code = "provider_failed"
    status = 502
    sentence = "The sign-in provider did not answer correctly. Try again in a minute, or tell your operator."


class LogoutRefused(LabelingError):
    """The logout token is not accepted: it is not the provider's, not for this site, or not a logout token."""

    code = "logout_refused"


class SignInRefused(LabelingError):
    """The person came back from the provider but cannot log in. `why`: expired, refused, no_account, switched_off,
    groups_left_out, not_proved."""

    code = "sign_in_refused"
    status = 403
    sentence = "You were not signed in."


class NoNewPassword(LabelingError):
    """New accounts with a password are not possible on a site where people sign in with a provider."""

    code = "no_new_password"
    status = 403
    sentence = "This site has no accounts with passwords. Log in first, then open the invitation again."


class CsrfFailed(LabelingError):
    """A browser sent a change without the page's own token, so another site may have caused it."""

    code = "csrf_failed"
    status = 403
    sentence = "This page is out of date. Reload it and try again."


class OtherPerson(LabelingError):
    """The page belongs to one person (`X-Stepmark-Person`), and another has since logged in in the same browser."""

    code = "other_person"
    status = 401
    sentence = "Somebody else has logged in in this browser. Load the page again."


class TokenReadOnly(LabelingError):
    """The API token is read-only, even if its owner may do more."""

    code = "token_read_only"
    status = 403
    sentence = "This API token is read-only. Make one that may write, under Account, and use that."


class LoginInBrowserNeeded(LabelingError):
    """An API token may not do this, so that a leaked token cannot outlive its revocation."""

    code = "session_needed"
    status = 403
    sentence = "An API token cannot do this. Log in with your password in a browser."


class SecondFactorNeeded(LabelingError):
    """The password is right, but the account has a second factor: send `code` as well, or log in with a passkey."""

    code = "second_factor_needed"
    status = 401
    sentence = "Enter the code that your app shows now, or one of your recovery codes."


class WrongCode(LabelingError):
    """The code is not the one that the app shows now."""

    code = "wrong_code"
    status = 400
    sentence = "This is not the current code for this secret. Check that your device's clock is right."


class PasskeyRefused(LabelingError):
    """The browser's answer is not valid, or the passkey belongs to no account here."""

    code = "passkey_refused"
    status = 400
    sentence = "This passkey was not accepted. Try again, or log in with your password."


class CheckAgain(LabelingError):
    """The request is sensitive, and the person last confirmed who they are too long ago (RECHECK_MINUTES)."""

    code = "check_again"
    status = 403
    sentence = "Confirm who you are (POST /api/session/check), then send this again."


class NoMail(LabelingError):
    """The request would send mail, but this site sends none."""

    code = "no_mail"
    status = 409
    sentence = "This site sends no mail: its operator has set no mail server, or no address for the site."


class LinkOver(LabelingError):
    """The link to set a password was used, has expired, or is incomplete."""

    code = "link_over"
    status = 409
    sentence = "This link was already used, has expired or is incomplete. Ask for a new one on the login page."
