"""Errors of choosing a path step by step."""

from labeling.errors.base import Conflict, LabelingError


class NotAPath(Conflict):
    """The label's round has a protocol other than `choose_step`."""

    code = "not_choose_step"
    sentence = "The steps of this label are fixed. Rate them, and submit the label."


class PathMoved(Conflict):
    """The request is about a step that is not the open one; `path` holds the current path."""

    code = "path_moved"
    sentence = "The path was changed in another tab or on another device. Here is the current path."


class NothingToUndo(Conflict):
    """No step has been chosen or written yet; `path` holds the current path."""

    code = "nothing_to_undo"
    sentence = "There is no step to take back."


class UndoUsedUp(Conflict):
    """The label has reached its limit of steps taken back; `path` holds the current path."""

    code = "undo_used_up"


class StepIncomplete(LabelingError):
    """`missing` lists what the step still lacks, in order."""

    code = "step_incomplete"
    status = 422
    sentence = "Something is still missing from this step."


class RestNotWanted(LabelingError):
    """The other completions of a step are shown only if its first one is not great."""

    code = "rest_not_wanted"
    status = 422
    sentence = "The first completion is rated +1, so it is the next step. The others are shown only for another rating."
