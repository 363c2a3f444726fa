"""Errors of backups and restores, for whoever runs them in a shell."""

from labeling.errors.base import LabelingError


class BackupRefused(LabelingError):
    """A backup cannot be made, or not be put back; the sentence says why and what to do. Nothing was changed."""

    code = "backup_refused"


class ArchiveRefused(LabelingError):
    """A project cannot be taken out, or not be brought back; the sentence says why. Nothing was changed."""

    code = "archive_refused"


class RestoreBroken(LabelingError):
    """What came back is not what was kept; the sentence says what differs."""

    code = "restore_broken"
