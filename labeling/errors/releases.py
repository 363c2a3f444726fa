"""Errors of releases."""

from labeling.errors.base import Conflict, LabelingError, NotFound


class ReleaseNotReady(Conflict):
    """The release is being checked or packed, or that failed; `state` and `status` say how far it is."""

    code = "release_not_ready"
    sentence = "This release is not ready for that. Wait until it is checked, or check it again."


class ReleaseNotInState(Conflict):
    """A draft is answered and released, a release is withdrawn, once; `state` says what it is."""

    code = "release_not_in_state"


class ReleaseWithdrawn(Conflict):
    """A withdrawn release is handed out no more."""

    code = "release_withdrawn"
    sentence = "This release was withdrawn and is not handed out any more. Take a later version."


class NotInRelease(NotFound):
    """The release is there; the row or label that was asked for is not in it."""

    code = "not_in_release"


class ReleaseFailed(LabelingError):
    """A release cannot be checked or packed, for the reason in the sentence."""

    code = "release_failed"


class PushRefused(LabelingError):
    """The place that a release was pushed to did not take it; the sentence says why."""

    code = "push_refused"
