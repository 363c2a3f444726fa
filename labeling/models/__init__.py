"""Tables and constraints, one file per subject, and the rules that concern a single row."""

from labeling.models.candidates import ProblemSamples
from labeling.models.gold import Gold, GoldPath, GoldPlan, GoldResult, ScreeningAttempt
from labeling.models.grading import GradingJob, HeldOutText, TraceGrade
from labeling.models.images import StepImage
from labeling.models.jobs import Export, ImportJob, WorkerHeartbeat
from labeling.models.label_audits import LabelAudit, LabelAuditItem
from labeling.models.label_changes import LabelChange, LabelTag, LabelView
from labeling.models.label_pushes import LabelPush, SentScore
from labeling.models.labels import Label, StepComment, StepLabel, TraceReport
from labeling.models.notices import Delivery, Notice, NoticeKind, Webhook
from labeling.models.paths import PathStep, StepOffer
from labeling.models.people import (
    ApiToken,
    AuditEvent,
    Guideline,
    Identity,
    Invitation,
    Membership,
    Project,
    User,
)
from labeling.models.problems import (
    Completion,
    Problem,
    ProblemLetters,
    ProblemsWithoutLetters,
    Rating,
    RecordedVerdict,
    Trace,
    TracesWithoutWords,
    TraceWords,
)
from labeling.models.project_moves import ProjectMove
from labeling.models.releases import Release, ReleasePush
from labeling.models.reviews import ReviewDecision, ReviewKind, StepReply
from labeling.models.rounds import Round, RoundChunk, RoundTally, Task
from labeling.models.sign_in import (
    LoggedIn,
    Provisioned,
    ProvisionedGroup,
    ProvisionedMember,
    RecoveryCode,
    SecondFactor,
)
from labeling.models.sources import Acceptance, AcceptedMark, SourceChunk, SourceRun, SourceText
from labeling.models.step_scorers import LearnedText, PrmTrial, Score, ScoreCount, ScoreImport, StepScorer
from labeling.models.suggestions import Suggestion, SuggestionAsk, SuggestionRequest
from labeling.models.training import Evaluation, EvaluationItem, EvaluationSet, Promotion, TrainingRun

__all__ = [
    "Acceptance",
    "AcceptedMark",
    "ApiToken",
    "AuditEvent",
    "Completion",
    "Delivery",
    "Evaluation",
    "EvaluationItem",
    "EvaluationSet",
    "Export",
    "Gold",
    "GoldPath",
    "GoldPlan",
    "GoldResult",
    "GradingJob",
    "Guideline",
    "HeldOutText",
    "Identity",
    "ImportJob",
    "Invitation",
    "Label",
    "LabelChange",
    "LabelPush",
    "LabelTag",
    "LabelView",
    "LoggedIn",
    "Membership",
    "Notice",
    "NoticeKind",
    "PathStep",
    "StepScorer",
    "Problem",
    "ProblemLetters",
    "ProblemSamples",
    "ProblemsWithoutLetters",
    "Project",
    "ProjectMove",
    "PrmTrial",
    "Promotion",
    "Provisioned",
    "ProvisionedGroup",
    "ProvisionedMember",
    "Rating",
    "RecordedVerdict",
    "RecoveryCode",
    "Release",
    "ReleasePush",
    "ReviewDecision",
    "ReviewKind",
    "Round",
    "RoundChunk",
    "RoundTally",
    "Score",
    "LearnedText",
    "ScoreCount",
    "ScoreImport",
    "ScreeningAttempt",
    "SentScore",
    "SecondFactor",
    "SourceChunk",
    "SourceRun",
    "SourceText",
    "StepComment",
    "StepImage",
    "StepLabel",
    "StepOffer",
    "StepReply",
    "Suggestion",
    "SuggestionAsk",
    "SuggestionRequest",
    "Task",
    "Trace",
    "TraceGrade",
    "TraceReport",
    "TracesWithoutWords",
    "TraceWords",
    "TrainingRun",
    "LabelAudit",
    "LabelAuditItem",
    "User",
    "Webhook",
    "WorkerHeartbeat",
]
