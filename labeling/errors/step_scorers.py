"""Errors of step scorers: the registry, the scores, and the project's selector."""

from labeling.errors.base import Conflict, LabelingError


class PrmNotReady(Conflict):
    """The PRM cannot score: it is not checked yet, a worker found a fault, or it is retired; `status` says which."""

    code = "prm_not_ready"


class PrmRegistered(Conflict):
    """The name belongs to another PRM. Scores are stored by PRM, so its record is never changed."""

    code = "prm_registered"
    sentence = "This name belongs to another PRM. A changed model counts as a new PRM: choose another name."


class PrmNotFaulty(Conflict):
    """Only a PRM that could not be used can be checked again."""

    code = "prm_not_faulty"
    sentence = "There is nothing to check again: this PRM has no fault, is being checked, or is retired."


class PrmInUse(Conflict):
    """The PRM is the selector of unfinished rounds, which would stop halfway without it."""

    code = "prm_in_use"


class PrmLearnedFromSet(Conflict):
    """The PRM was trained on problems of the evaluation set; `problems` says on how many."""

    code = "prm_learned_from_set"


class PrmGivesNoProbabilities(Conflict):
    """The PRM's scores are not probabilities, so accuracy, F1 and calibration mean nothing for it."""

    code = "prm_gives_no_probabilities"
    sentence = "This PRM gives log ratios, not probabilities. They rank traces but cannot be measured step by step."


class NothingToRollBack(Conflict):
    """The project has never had a selector."""

    code = "nothing_to_roll_back"
    sentence = "No PRM was ever promoted in this project, so there is nothing to go back to."


class PromotionChanged(Conflict):
    """The promotion to undo is no longer the newest one; `promotion` is the id of the newest."""

    code = "promotion_changed"


class ModelUnusable(LabelingError):
    """A worker could not load, train or query a model; `detail` says what is wrong and what to do.

    Workers convert their own faults to this error at their boundary, so that nothing here needs to know torch's.
    """

    code = "model_unusable"
