"""Errors of gold, screening, review and the label audit."""

from labeling.errors.base import Conflict, LabelingError


class AlreadyGold(Conflict):
    """A trace is one gold item; `gold` is its id."""

    code = "already_gold"
    sentence = "This trace is gold already. Change it on the project's Gold page."


class NoRetry(Conflict):
    """There is no failed screening to repeat, or no attempt left."""

    code = "no_retry"
    sentence = "You cannot repeat the screening. A project admin can allow another attempt."


class NotPaused(Conflict):
    """The member is not paused, or is paused already; `paused` says which."""

    code = "not_paused"


class ProblemNotInStatus(Conflict):
    """The problem is bad already, or is not bad; `status` says which."""

    code = "problem_not_in_status"


class AnswerAccepted(Conflict):
    """The answer is one of the problem's already, or is none of them."""

    code = "answer_accepted"


class AnswerKnown(Conflict):
    """The task is no work: gold, screening, or imported quality control."""

    code = "answer_known"
    sentence = (
        "The right answer to this task is known: it checks its labelers, and is never settled. Dismiss what waits."
        " What is wrong with the answer is changed on the project's Gold page."
    )


class RulingChanged(Conflict):
    """Another ruling stands on the task than the one that was seen, or none; `ruling` is its id, or null."""

    code = "ruling_changed"


class SplitNotRepaired(LabelingError):
    """The new steps are not another cut of the same text, or the trace has a newer version."""

    code = "split_not_repaired"
    status = 422


class LabelAuditNotInStatus(Conflict):
    """The label audit is over, or still open, or its label was reviewed by somebody else."""

    code = "label_audit_not_in_status"
