"""Errors of imports, exports and gradings."""

from labeling.errors.base import Conflict, LabelingError


class JobFinished(Conflict):
    """The import or export has already ended; `status` says how."""

    code = "job_finished"
    sentence = "This job has already finished, so there is nothing to stop."


class NotImportable(Conflict):
    """The import already succeeded, is still running, or has no file of its own to import again."""

    code = "not_importable"
    sentence = "This import has nothing to import again. Upload the file."


class FileTooLarge(LabelingError):
    """The upload is larger than this site accepts; `limit` is in bytes."""

    code = "file_too_large"
    status = 413


class FileChanged(LabelingError):
    """A stored file, on disk or in the bucket, is not the file that was put there."""

    code = "file_changed"
    status = 500


class DiskFull(LabelingError):
    """The server's disk has no room for the data that was sent; none of it was kept."""

    code = "disk_full"
    status = 507
    sentence = "The server's disk is full, and nothing was kept. Ask the operator to free space, then try again."


class ExportNotReady(Conflict):
    """The export's file is not finished, or is no longer on the server; `status` says which."""

    code = "export_not_ready"


class LabelNotCarried(LabelingError):
    """A label holds something that the export's format cannot express; the message names it and what to do."""

    code = "label_not_carried"


class GradingRunning(Conflict):
    """A project can run or apply only one grading at a time."""

    code = "grading_running"
    sentence = "A grading is already running in this project. Wait for it to finish, or cancel it."


class GradingNotReady(Conflict):
    """The grading is not finished, or was already applied; `status` and `stage` say which."""

    code = "grading_not_ready"
    sentence = "This grading cannot be applied: it is not finished, or was already applied. Start a new one."


class FileGone(LabelingError):
    """An uploaded file is missing from where it was stored."""

    code = "file_gone"
    sentence = "The file is no longer on the server. Upload it again."
