"""Errors of releases."""

from labeling.errors.base import Conflict, LabelingError, NotFound


class ReleaseNotReady(Conflict):
    """The release is being checked or packed, or one of these failed; `state` and `status` say which."""

    code = "release_not_ready"
    sentence = "This release is not ready for this. Wait until it is checked, or check it again."


class ReleaseNotInState(Conflict):
    """Only a draft can be changed and released, and only a release can be withdrawn; `state` says what it is now."""

    code = "release_not_in_state"


class ReleaseWithdrawn(Conflict):
    """A withdrawn release can no longer be downloaded."""

    code = "release_withdrawn"
    sentence = "This release was withdrawn and can no longer be downloaded. Use a later version."


class NotInRelease(NotFound):
    """The release exists, but the requested row or label is not in it."""

    code = "not_in_release"


class ReleaseFailed(LabelingError):
    """A release cannot be checked or packed; the message says why."""

    code = "release_failed"


class PushRefused(LabelingError):
    """The place that a release was pushed to did not accept it; the message says why."""

    code = "push_refused"
