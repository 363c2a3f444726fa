"""Errors of training and evaluation."""

from labeling.errors.base import Conflict, LabelingError


class NothingToLearn(LabelingError):
    """The chosen rounds have no label that a PRM may learn from; `counts` says what was found and left out."""

    code = "nothing_to_learn"
    status = 422


class BaseUnknown(LabelingError):
    """The operator has not named this base; `bases` lists the available ones."""

    code = "base_unknown"
    status = 422


class TrainingFailed(LabelingError):
    """The trainer gave up; the run fails with this message."""

    code = "training_failed"
    status = 422


class NothingToEvaluateOn(LabelingError):
    """No trace fits the requested evaluation set."""

    code = "nothing_to_evaluate_on"
    status = 422


class NotComparable(Conflict):
    """The two evaluations use different traces, truths or grader versions."""

    code = "not_comparable"
