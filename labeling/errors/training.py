"""Errors of training and evaluation."""

from labeling.errors.base import Conflict, LabelingError


class NothingToLearn(LabelingError):
    """The chosen rounds hold no label that a PRM may learn from; `counts` says what was found and left out."""

    code = "nothing_to_learn"
    status = 422


class BaseUnknown(LabelingError):
    """The operator has not named this base; `bases` lists those there are."""

    code = "base_unknown"
    status = 422


class TrainingFailed(LabelingError):
    """The trainer gave up; the run fails with this sentence."""

    code = "training_failed"
    status = 422


class NothingToEvaluateOn(LabelingError):
    """No trace fits the evaluation set that was asked for."""

    code = "nothing_to_evaluate_on"
    status = 422


class NotComparable(Conflict):
    """The two evaluations are over different traces, truths or grader versions."""

    code = "not_comparable"
