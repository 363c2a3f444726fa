"""Errors of backups and restores, and of projects that go out and come back."""

from labeling.errors.base import Conflict, LabelingError


class BackupRefused(LabelingError):
    """A backup cannot be made, or not be put back; the sentence says why and what to do. Nothing was changed."""

    code = "backup_refused"


class ArchiveRefused(Conflict):
    """A project cannot be taken out, or not be brought back; the sentence says why. Nothing was changed."""

    code = "archive_refused"


class RestoreBroken(LabelingError):
    """What came back is not what was kept; the sentence says what differs."""

    code = "restore_broken"
