"""Errors of gold, screening, review and the label audit."""

from labeling.errors.base import Conflict, LabelingError


class AlreadyGold(Conflict):
    """The trace is already gold, and a trace can be gold only once; `gold` is the id of its gold item."""

    code = "already_gold"
    sentence = "This trace is already gold. Change it on the project's Gold page."


class NoRetry(Conflict):
    """There is no failed screening to repeat, or no attempt left."""

    code = "no_retry"
    sentence = "You cannot repeat the screening. A project admin can allow another attempt."


class NotPaused(Conflict):
    """The member is not paused, or is already paused; `paused` says which."""

    code = "not_paused"


class ProblemNotInStatus(Conflict):
    """The problem is already marked as bad, or is not marked as bad; `status` says which."""

    code = "problem_not_in_status"


class AnswerAccepted(Conflict):
    """The answer is already among the problem's answers, is not among them, or would be one too many."""

    code = "answer_accepted"


class AnswerKnown(Conflict):
    """The task is not work but gold, screening, or imported quality control."""

    code = "answer_known"
    sentence = (
        "The right answer to this task is known: the task checks its labelers and is never settled. Dismiss the open"
        " reviews. If the known answer is wrong, change it on the project's Gold page."
    )


class RulingChanged(Conflict):
    """The task's ruling has changed in the meantime; `ruling` is the id of the current one, or null."""

    code = "ruling_changed"


class SplitNotRepaired(LabelingError):
    """The trace cannot get these steps, for example because their text differs or the trace has a newer version."""

    code = "split_not_repaired"
    status = 422


class LabelAuditNotInStatus(Conflict):
    """The label audit is over or still open, nothing in it was reviewed yet, or another reviewer took the label."""

    code = "label_audit_not_in_status"
