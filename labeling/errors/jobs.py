"""Errors of imports, exports and gradings."""

from labeling.errors.base import Conflict, LabelingError


class JobFinished(Conflict):
    """The import or export has come to its end; `status` says which."""

    code = "job_finished"
    sentence = "This job has finished already; there is nothing left to stop."


class NotImportable(Conflict):
    """The import was imported already, is not over, or has no file of its own to import again."""

    code = "not_importable"
    sentence = "There is nothing to import again here: upload the file."


class FileTooLarge(LabelingError):
    """The upload is larger than this site takes; `limit` in bytes."""

    code = "file_too_large"
    status = 413


class FileChanged(LabelingError):
    """A file that was kept, on the disk or in the bucket, is not what was put there."""

    code = "file_changed"
    status = 500


class DiskFull(LabelingError):
    """The disk of the server cannot hold what was sent; nothing of it is kept."""

    code = "disk_full"
    status = 507
    sentence = "The server's disk is full; nothing of this was kept. Ask the operator to free space, then try again."


class ExportNotReady(Conflict):
    """The export's file is not finished, or no longer on the server; `status` says how far it is."""

    code = "export_not_ready"


class LabelNotCarried(LabelingError):
    """A label says something that the export's format cannot say; the sentence names it and the way out."""

    code = "label_not_carried"


class GradingRunning(Conflict):
    """A project's traces are graded, or a grading applied, one at a time."""

    code = "grading_running"
    sentence = "A grading of this project is under way. Wait for it to finish, or cancel it."


class GradingNotReady(Conflict):
    """The grading is not finished, or applied already; `status` and `stage` say which."""

    code = "grading_not_ready"
    sentence = "This grading cannot be applied: it is not finished, or was applied before. Start a new one."


class FileGone(LabelingError):
    """An uploaded file is not where it was put."""

    code = "file_gone"
    sentence = "The file is no longer on the server. Upload it again."
