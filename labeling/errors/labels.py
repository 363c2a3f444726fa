"""Errors of labeling: claims, drafts, submissions, and what follows them."""

from labeling.errors.base import Conflict, LabelingError


class LabelNotOpen(Conflict):
    """The label is in a state in which this cannot be done to it."""

    code = "label_not_open"


class DraftConflict(Conflict):
    """Another tab saved in between; `draft` and `draft_revision` hold what is stored."""

    code = "draft_conflict"


class SubmissionIncomplete(LabelingError):
    """`missing` lists what the labeler still has to do, in order."""

    code = "submission_incomplete"
    status = 422


class SubmissionMismatch(LabelingError):
    """The submission speaks of steps or alternatives that the trace does not have."""

    code = "submission_mismatch"
    status = 422


class ConfirmationNeeded(Conflict):
    """`contradictions` lists what has to be confirmed with a reason."""

    code = "confirmation_needed"


class ReopenTooLate(Conflict):
    """The minute in which a submission can be undone is over."""

    code = "reopen_too_late"


class ReviseTooLate(Conflict):
    """The project's window for revisions is over, the round is closed, the task is settled, or a step was drawn.

    One sentence for all of them: gold is never settled, so which it is could tell gold from work.
    """

    code = "revise_too_late"
    sentence = (
        "This label cannot be revised any more: the time for it is over, its round is closed, its task is settled,"
        " or a next step was drawn from it."
    )


class LabelHeld(Conflict):
    """Who labels a trace looks nothing up about it meanwhile, whatever their role."""

    code = "label_held"
    sentence = "You are labeling this trace, or it is your next. Submit or release your label, then look here again."


class NotSettled(Conflict):
    """Labelers of one trace are blind to each other until it is settled."""

    code = "not_settled"
    sentence = (
        "Other labels of this trace are shown once it is settled, and in some rounds once they are closed."
        " Come back later; My work says when."
    )


class ReferenceNotAvailable(Conflict):
    """The project does not show reference solutions, or the problem has none."""

    code = "reference_not_available"
    sentence = "There is no reference solution to show for this problem."


class NoLabelsChanged(LabelingError):
    """Nothing could be done to any of the labels that were picked."""

    code = "no_labels_changed"
    status = 422


class NoTracesChanged(LabelingError):
    """Nothing could be done to any of the traces that were picked."""

    code = "no_traces_changed"
    status = 422


class LabelChangeUndone(Conflict):
    """What was done to labels is undone once."""

    code = "label_change_undone"
    sentence = "This was undone already. Reload the page to see how the labels stand now."


class ProjectArchived(Conflict):
    """Nothing is labeled or opened in an archived project."""

    code = "project_archived"
    sentence = "This project is archived. A project admin can make it active again in Settings."


class GuidelineChanged(Conflict):
    """Guidelines were published since those that were seen; `version` is theirs."""

    code = "guideline_changed"


class ProjectTakenOut(Conflict):
    """A project without its rows is not made active again, and nothing is made in it that might not fit beside them."""

    code = "project_taken_out"
    sentence = (
        "The rows of this project were taken out to a file. An operator brings them back first"
        " (manage.py bring_back_project)."
    )
