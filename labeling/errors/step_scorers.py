"""Errors of step scorers: their registry, their scores, and the project's selector."""

from labeling.errors.base import Conflict, LabelingError


class PrmNotReady(Conflict):
    """The PRM cannot score: no worker has checked it yet, a worker found a fault, or it is retired; `status` says."""

    code = "prm_not_ready"


class PrmRegistered(Conflict):
    """The name belongs to another record; scores are kept by PRM, so a record is never changed."""

    code = "prm_registered"
    sentence = "This name belongs to another PRM. A changed model is a PRM of its own: choose another name."


class PrmNotFaulty(Conflict):
    """Only a PRM that could not be used is checked again."""

    code = "prm_not_faulty"
    sentence = (
        "Nothing is wrong with this PRM, it is being checked, or it is retired, so there is nothing to check again."
    )


class PrmInUse(Conflict):
    """The PRM is the selector of rounds that are not over, which would stop half-way."""

    code = "prm_in_use"


class PrmLearnedFromSet(Conflict):
    """The PRM was trained on problems of the evaluation set; `problems` of them."""

    code = "prm_learned_from_set"


class PrmGivesNoProbabilities(Conflict):
    """The PRM's scores are no probabilities, so accuracy, F1 and calibration mean nothing for it."""

    code = "prm_gives_no_probabilities"
    sentence = "This PRM gives log ratios, not probabilities. They rank traces but cannot be measured step by step."


class NothingToRollBack(Conflict):
    """The project never had another selector."""

    code = "nothing_to_roll_back"
    sentence = "No PRM was ever promoted in this project, so there is nothing to go back to."


class PromotionChanged(Conflict):
    """Another promotion counts than the one that was to be undone; `promotion` is its id."""

    code = "promotion_changed"


class ModelUnusable(LabelingError):
    """A model that a worker was to load, train or ask cannot be used; `detail` says what does not fit and what to do.

    Workers raise it where a fault of theirs leaves them: nothing here knows the faults of torch.
    """

    code = "model_unusable"
