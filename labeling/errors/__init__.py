"""One class per rule that can be broken: its code, its HTTP status, and the sentence people read; by subject."""

from labeling.errors.base import (
    BadCursor,
    Conflict,
    InvalidFields,
    LabelingError,
    NotFound,
    PermissionDenied,
)
from labeling.errors.jobs import (
    ExportNotReady,
    FileTooLarge,
    GradingNotReady,
    GradingRunning,
    JobFinished,
)
from labeling.errors.labels import (
    ConfirmationNeeded,
    DraftConflict,
    LabelNotOpen,
    NotSettled,
    ProjectArchived,
    ReferenceNotAvailable,
    ReopenTooLate,
    ReviseTooLate,
    SubmissionIncomplete,
    SubmissionMismatch,
)
from labeling.errors.notices import (
    HostNotAllowed,
)
from labeling.errors.people import (
    AlreadyMember,
    InvitationNotOpen,
    LastAdmin,
    MembershipDeactivated,
)
from labeling.errors.quality import (
    AlreadyGold,
    NoRetry,
    NotPaused,
    ProblemNotInStatus,
    SplitNotRepaired,
    TriageNotInStatus,
)
from labeling.errors.rounds import (
    GeneratorFailed,
    NothingSelected,
    NothingToQueue,
    RoundNotInStatus,
    RoundRunning,
)
from labeling.errors.sessions import (
    CsrfFailed,
    LockedOut,
    LoginInBrowserNeeded,
    WrongCredentials,
)
from labeling.errors.step_scorers import (
    NothingToRollBack,
    PrmGivesNoProbabilities,
    PrmLearnedFromSet,
    PrmNotReady,
    PrmRegistered,
)
from labeling.errors.training import (
    BaseUnknown,
    NotComparable,
    NothingToEvaluateOn,
    NothingToLearn,
    TrainingFailed,
)

__all__ = [
    "AlreadyGold",
    "AlreadyMember",
    "BadCursor",
    "BaseUnknown",
    "ConfirmationNeeded",
    "Conflict",
    "CsrfFailed",
    "DraftConflict",
    "ExportNotReady",
    "FileTooLarge",
    "GeneratorFailed",
    "GradingNotReady",
    "GradingRunning",
    "HostNotAllowed",
    "InvalidFields",
    "InvitationNotOpen",
    "JobFinished",
    "LabelNotOpen",
    "LabelingError",
    "LastAdmin",
    "LockedOut",
    "LoginInBrowserNeeded",
    "MembershipDeactivated",
    "NoRetry",
    "NotComparable",
    "NotFound",
    "NotPaused",
    "NotSettled",
    "NothingSelected",
    "NothingToEvaluateOn",
    "NothingToLearn",
    "NothingToQueue",
    "NothingToRollBack",
    "PermissionDenied",
    "PrmGivesNoProbabilities",
    "PrmLearnedFromSet",
    "PrmNotReady",
    "PrmRegistered",
    "ProblemNotInStatus",
    "ProjectArchived",
    "ReferenceNotAvailable",
    "ReopenTooLate",
    "ReviseTooLate",
    "RoundNotInStatus",
    "RoundRunning",
    "SplitNotRepaired",
    "SubmissionIncomplete",
    "SubmissionMismatch",
    "TrainingFailed",
    "TriageNotInStatus",
    "WrongCredentials",
]
