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


class SignInRefused(LabelingError):
    """Who came back from the provider is not let in. `why`: expired, refused, no_account, switched_off,
    groups_left_out."""

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
