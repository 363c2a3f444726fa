"""The base class of all errors, and the few errors that any call may return."""

from typing import Any


class LabelingError(Exception):
    """A rule was broken. The API returns it as `{"code", "detail", ...extra}` with `status`.

    `detail` is a message that says what to do next; `extra` holds JSON values for programs.
    """

    code = "refused"
    status = 400
    sentence = "This is not possible."
    retry_after: int | None = None  # seconds, for the header of that name

    def __init__(self, detail: str = "", **extra: Any) -> None:
        self.detail = detail or self.sentence
        self.extra = extra
        super().__init__(self.detail)


class Conflict(LabelingError):
    """The request is valid, but the current state does not allow it."""

    status = 409


class NotFound(LabelingError):
    """It does not exist, or this person may not see it: the answer is the same for both."""

    code = "not_found"
    status = 404
    sentence = "There is nothing here that you can see. Check the address, or ask a project admin for access."


class PermissionDenied(LabelingError):
    """The person may see this, but their role does not allow the action."""

    code = "permission_denied"
    status = 403
    sentence = "Your role in this project does not allow this. Ask a project admin."


class AllowanceUsed(LabelingError):
    """The person has used up one of the site's allowances: `allowance` names it, `retry_at` says when to try again."""

    code = "allowance_used"
    status = 429

    def __init__(self, detail: str, *, retry_after: int, **extra: Any) -> None:
        super().__init__(detail, **extra)
        self.retry_after = retry_after


class InvalidFields(LabelingError):
    """Some values are well-formed but not accepted; `fields` says which and why."""

    code = "invalid"
    status = 400
    sentence = "Some fields have values that are not accepted."

    def __init__(self, detail: str = "", *, fields: dict[str, list[str]]) -> None:
        super().__init__(detail, fields=fields)


class BadCursor(LabelingError):
    """The page cursor was not issued by this server for this list."""

    code = "bad_cursor"
    status = 400
    sentence = "This page address is no longer valid. Load the list again from the beginning."
