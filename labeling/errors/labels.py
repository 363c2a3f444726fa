"""Errors of labeling: claims, drafts, submissions, and what follows them."""

from labeling.errors.base import Conflict, LabelingError


class LabelNotOpen(Conflict):
    """The label's current state does not allow this."""

    code = "label_not_open"


class DraftConflict(Conflict):
    """Another tab saved in the meantime; `draft` and `draft_revision` hold what is stored."""

    code = "draft_conflict"


class SubmissionIncomplete(LabelingError):
    """`missing` lists what the labeler still has to do, in order."""

    code = "submission_incomplete"
    status = 422


class SubmissionMismatch(LabelingError):
    """The submission names steps or alternatives that the trace does not have."""

    code = "submission_mismatch"
    status = 422


class ConfirmationNeeded(Conflict):
    """The submission has contradictions; `contradictions` lists what the labeler must confirm with a reason."""

    code = "confirmation_needed"


class ReopenTooLate(Conflict):
    """A submission can be taken back only within 60 seconds, and they are over."""

    code = "reopen_too_late"


class ReviseTooLate(Conflict):
    """The project's time for revisions is over, the round is closed, the task is settled, or a step was drawn.

    All cases share one message: gold is never settled, so the exact reason could reveal which tasks are gold.
    """

    code = "revise_too_late"
    sentence = (
        "This label can no longer be revised: the time for revisions is over, its round is closed, its task is"
        " settled, or a next step was drawn from it."
    )


class LabelHeld(Conflict):
    """While labeling a trace, nobody can look anything up about it, whatever their role."""

    code = "label_held"
    sentence = "You are labeling this trace, or it is your next task. Submit or release your label, then come back."


class NotSettled(Conflict):
    """Labelers of a trace cannot see each other's labels until it is settled."""

    code = "not_settled"
    sentence = (
        "Other labels of this trace are shown once it is settled or, in some rounds, once the round is closed."
        " Come back later; My work shows when they are there."
    )


class ReferenceNotAvailable(Conflict):
    """The project does not show reference solutions, or the problem has none."""

    code = "reference_not_available"
    sentence = "There is no reference solution to show for this problem."


class NoLabelsChanged(LabelingError):
    """The change applies to none of the chosen labels."""

    code = "no_labels_changed"
    status = 422


class NoTracesChanged(LabelingError):
    """The change applies to none of the chosen traces."""

    code = "no_traces_changed"
    status = 422


class LabelChangeUndone(Conflict):
    """A change to labels can be undone only once."""

    code = "label_change_undone"
    sentence = "This change was already undone. Reload the page to see the labels as they are now."


class ProjectArchived(Conflict):
    """In an archived project, nothing can be labeled or opened."""

    code = "project_archived"
    sentence = "This project is archived. A project admin can make it active again in Settings."


class GuidelineChanged(Conflict):
    """Newer guidelines were published in the meantime; `version` is their version."""

    code = "guideline_changed"


class ProjectTakenOut(Conflict):
    """The project's rows are in a file, so it cannot be made active again, and nothing can be made in it that might
    conflict with those rows."""

    code = "project_taken_out"
    sentence = (
        "The rows of this project were taken out to a file. An operator must bring them back first"
        " (manage.py bring_back_project)."
    )
