"""Errors of choosing a path step by step."""

from labeling.errors.base import Conflict, LabelingError


class NotAPath(Conflict):
    """The label's round has another protocol."""

    code = "not_choose_step"
    sentence = "The steps of this label are given. Rate them, and submit the label."


class PathMoved(Conflict):
    """Something else is open than what was sent speaks of; `path` holds the path as it is."""

    code = "path_moved"
    sentence = "The path has gone on in another tab or on another device. Here it is as it stands now."


class NothingToUndo(Conflict):
    """No step was chosen or written yet; `path` holds the path as it is."""

    code = "nothing_to_undo"
    sentence = "There is no step to take back."


class UndoUsedUp(Conflict):
    """So many steps of the label were taken back that no more are; `path` holds the path as it is."""

    code = "undo_used_up"


class StepIncomplete(LabelingError):
    """`missing` lists what the step still lacks, in order."""

    code = "step_incomplete"
    status = 422
    sentence = "Something is still missing from this step."


class RestNotWanted(LabelingError):
    """The other completions are for a first one that is not great."""

    code = "rest_not_wanted"
    status = 422
    sentence = "The first completion is rated +1: it is the next step. The others are shown where it is not."
