"""One class per rule that can be broken: its code, its HTTP status, and the sentence people read."""

from typing import Any


class LabelingError(Exception):
    """A rule was broken. Becomes `{"code", "detail", ...extra}` with `status` at the API.

    `detail` is one sentence that says what to do next; `extra` holds JSON values a program can use.
    """

    code = "refused"
    status = 400
    sentence = "This is not possible."

    def __init__(self, detail: str = "", **extra: Any) -> None:
        self.detail = detail or self.sentence
        self.extra = extra
        super().__init__(self.detail)


class Conflict(LabelingError):
    """Well asked, but the state of things does not allow it now."""

    status = 409


class NotFound(LabelingError):
    """There is no such thing, or it is not this person's to see: the two are one answer."""

    code = "not_found"
    status = 404
    sentence = "There is nothing here that you can see. Check the address, or ask a project admin."


class PermissionDenied(LabelingError):
    """The person may see the thing but lacks the role to do this."""

    code = "permission_denied"
    status = 403
    sentence = "Your role in this project does not allow this. Ask a project admin."


class InvalidFields(LabelingError):
    """Well-shaped values that cannot be taken; `fields` says which and why."""

    code = "invalid"
    status = 400
    sentence = "Some fields need another value."

    def __init__(self, detail: str = "", *, fields: dict[str, list[str]]) -> None:
        super().__init__(detail, fields=fields)


class BadCursor(LabelingError):
    """A page cursor this server did not give out for this list."""

    code = "bad_cursor"
    status = 400
    sentence = "This page address is no longer valid. Load the list from its start."


# Logging in


class WrongCredentials(LabelingError):
    """User name and password do not belong together (or the account is switched off)."""

    code = "wrong_credentials"
    status = 401
    sentence = "User name and password do not match. Check both and try again."


class LockedOut(LabelingError):
    """Too many failed logins; `retry_at` (ISO 8601, UTC) says when the next one is looked at."""

    code = "locked_out"
    status = 423


class CsrfFailed(LabelingError):
    """A browser's write without the page's own token: another site may have sent it."""

    code = "csrf_failed"
    status = 403
    sentence = "This page is out of date. Reload it and try again."


class LoginInBrowserNeeded(LabelingError):
    """Something an API token may not do, so that a leaked token cannot outlive its revocation."""

    code = "session_needed"
    status = 403
    sentence = "An API token cannot do this. Log in with your password in a browser."


# Invitations and members


class InvitationNotOpen(Conflict):
    """The invitation expired, was used or was revoked; `state` says which."""

    code = "invitation_not_open"


class AlreadyMember(Conflict):
    """The person is in the project already."""

    code = "already_member"
    sentence = "You are a member of this project already. Open it from your project list."


class MembershipDeactivated(Conflict):
    """A deactivated person cannot come back through a link."""

    code = "membership_deactivated"
    sentence = "Your membership was deactivated. Ask a project admin to reactivate it."


class LastAdmin(Conflict):
    """A project always keeps one active admin."""

    code = "last_admin"
    sentence = "This is the project's last active admin. Make somebody else an admin first."


# Labeling


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
    """The project's window for revisions is over, or the round is closed."""

    code = "revise_too_late"


class NotSettled(Conflict):
    """Labelers of one trace are blind to each other until it is settled."""

    code = "not_settled"
    sentence = "Other labels of this trace are shown once it is settled. Come back later; My work says when."


class ReferenceNotAvailable(Conflict):
    """The project does not show reference solutions, or the problem has none."""

    code = "reference_not_available"
    sentence = "There is no reference solution to show for this problem."


class ProjectArchived(Conflict):
    """Nothing is labeled or opened in an archived project."""

    code = "project_archived"
    sentence = "This project is archived. A project admin can make it active again in Settings."


# Gold, screening, standing


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


# Review


class ProblemNotInStatus(Conflict):
    """The problem is bad already, or is not bad; `status` says which."""

    code = "problem_not_in_status"


class SplitNotRepaired(LabelingError):
    """The new steps are not another cut of the same text, or the trace has a newer version."""

    code = "split_not_repaired"
    status = 422


class TriageNotInStatus(Conflict):
    """The triage is over, or still open, or its label was reviewed by somebody else."""

    code = "triage_not_in_status"


# Imports and exports


class JobFinished(Conflict):
    """The import or export has come to its end; `status` says which."""

    code = "job_finished"
    sentence = "This job has finished already; there is nothing left to stop."


class FileTooLarge(LabelingError):
    """The upload is larger than this site takes; `limit` in bytes."""

    code = "file_too_large"
    status = 413


class ExportNotReady(Conflict):
    """The export's file is not finished, or no longer on the server; `status` says how far it is."""

    code = "export_not_ready"


# Grading


class GradingRunning(Conflict):
    """A project's traces are graded, or a grading applied, one at a time."""

    code = "grading_running"
    sentence = "A grading of this project is under way. Wait for it to finish, or cancel it."


class GradingNotReady(Conflict):
    """The grading is not finished, or applied already; `status` and `stage` say which."""

    code = "grading_not_ready"
    sentence = "This grading cannot be applied: it is not finished, or was applied before. Start a new one."


# Rounds


class RoundNotInStatus(Conflict):
    """The round is not in the state this change starts from; `status` says which it is in."""

    code = "round_not_in_status"


class RoundRunning(Conflict):
    """Workers carry one round of a project at a time; `round` is the number of the one that runs."""

    code = "round_running"
    sentence = "Another round of this project is being worked on. Wait until it is ready, or pause or cancel it."


class PrmNotReady(Conflict):
    """The PRM cannot score: no worker has checked it yet, a worker found a fault, or it is retired; `status` says."""

    code = "prm_not_ready"


class PrmRegistered(Conflict):
    """The name belongs to another record; scores are kept by PRM, so a record is never changed."""

    code = "prm_registered"
    sentence = "This name belongs to another PRM. A changed model is a PRM of its own: choose another name."


class NothingSelected(LabelingError):
    """The round's rules leave no trace; `dropped` counts what was left out, by reason."""

    code = "nothing_selected"
    status = 422


class NothingToQueue(LabelingError):
    """No trace fits the filter, so the round would be empty."""

    code = "nothing_to_queue"
    status = 422
    sentence = "No trace fits. Widen the filter, or import traces first."


# Candidates


class GeneratorFailed(LabelingError):
    """The round's generator cannot be used; the round fails with this sentence and can be resumed when it is mended."""

    code = "generator_failed"
    status = 502


# Notices


class HostNotAllowed(LabelingError):
    """A webhook may only point at hosts that the operator has listed; `host` is the one that is not."""

    code = "host_not_allowed"
    status = 422
    sentence = "This host is not on the site's list. Ask the operator to add it to WEBHOOK_HOSTS."


# Training and evaluation


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


class PrmLearnedFromSet(Conflict):
    """The PRM was trained on problems of the evaluation set; `problems` of them."""

    code = "prm_learned_from_set"


class PrmGivesNoProbabilities(Conflict):
    """The PRM's scores are no probabilities, so accuracy, F1 and calibration mean nothing for it."""

    code = "prm_gives_no_probabilities"
    sentence = "This PRM gives log ratios, not probabilities. They rank traces but cannot be measured step by step."


class NotComparable(Conflict):
    """The two evaluations are over different traces, truths or grader versions."""

    code = "not_comparable"


class NothingToRollBack(Conflict):
    """The project never had another selector."""

    code = "nothing_to_roll_back"
    sentence = "No PRM was ever promoted in this project, so there is nothing to go back to."
