"""Errors of backups, restores, and projects that are taken out and brought back."""

from labeling.errors.base import Conflict, LabelingError


class BackupRefused(LabelingError):
    """A backup cannot be made or restored; the message says why and what to do. Nothing was changed."""

    code = "backup_refused"


class ArchiveRefused(Conflict):
    """A project cannot be taken out or brought back; the message says why. Nothing was changed."""

    code = "archive_refused"


class RestoreBroken(LabelingError):
    """The restored data differs from what was backed up; the message says how."""

    code = "restore_broken"
