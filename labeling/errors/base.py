"""The base of every error of the product, and the few errors that any call may return."""

from typing import Any


class LabelingError(Exception):
    """A rule was broken. Becomes `{"code", "detail", ...extra}` with `status` at the API.

    `detail` is one sentence that says what to do next; `extra` holds JSON values a program can use.
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
    """Well asked, but the state of things does not allow it now."""

    status = 409


class NotFound(LabelingError):
    """There is no such thing, or it is not this person's to see: the two are one answer."""

    code = "not_found"
    status = 404
    sentence = "There is nothing here that you can see. Check the address, or ask a project admin."


class PermissionDenied(LabelingError):
    """The person may see the thing but lacks the role to do this."""

    code = "permission_denied"
    status = 403
    sentence = "Your role in this project does not allow this. Ask a project admin."


class AllowanceUsed(LabelingError):
    """The person has done as much of this as the site allows; `allowance` names it, `retry_at` says when more is."""

    code = "allowance_used"
    status = 429

    def __init__(self, detail: str, *, retry_after: int, **extra: Any) -> None:
        super().__init__(detail, **extra)
        self.retry_after = retry_after


class InvalidFields(LabelingError):
    """Well-shaped values that cannot be taken; `fields` says which and why."""

    code = "invalid"
    status = 400
    sentence = "Some fields need another value."

    def __init__(self, detail: str = "", *, fields: dict[str, list[str]]) -> None:
        super().__init__(detail, fields=fields)


class BadCursor(LabelingError):
    """A page cursor this server did not give out for this list."""

    code = "bad_cursor"
    status = 400
    sentence = "This page address is no longer valid. Load the list from its start."
