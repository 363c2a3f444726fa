"""Stepmark from Python: traces in, rounds, labels and scores, exports out."""

from stepmark.client import Project, Stepmark
from stepmark.errors import (
    Damaged,
    Faulty,
    JobFailed,
    NoRoom,
    NotLoggedIn,
    NotReachable,
    NotUnderstood,
    Refused,
    StepmarkError,
    WaitedInVain,
)
from stepmark.hashing import trace_hash

__all__ = [
    "Damaged",
    "Faulty",
    "JobFailed",
    "NoRoom",
    "NotLoggedIn",
    "NotReachable",
    "NotUnderstood",
    "Project",
    "Refused",
    "Stepmark",
    "StepmarkError",
    "WaitedInVain",
    "trace_hash",
]
