"""Uploads: only on routes that expect a file, straight to disk, up to the limit, and never kept half-finished."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, StopUpload, TemporaryFileUploadHandler
from rest_framework.request import Request

from annotation_app.postgres.base import check_again
from labeling.actions.allowances import spend
from labeling.actions.job_faults import is_full_disk
from labeling.errors import DiskFull, FileTooLarge
from labeling.models import User


def uploaded(request: Request) -> Any:
    """The fields and files of a form. The body is read only here, so check the sender and their role first.

    The bytes count towards the person's allowance. Raises FileTooLarge, DiskFull, AllowanceUsed.
    """
    handler = LimitedUploadHandler(request._request)
    request._request.upload_handlers = [handler]
    given = request.data
    check_again()  # Postgres may have closed the connection in the meantime (WEB_IDLE_SECONDS)
    if isinstance(request.user, User):  # no one else gets this far
        spend(request.user, "upload_bytes", handler.received)
    return given


class NoFiles(FileUploadHandler):
    """For all other routes: reading stops at the first file in a form, and nothing of it is kept."""

    def new_file(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Called before a file's first byte. Raises StopUpload."""
        raise StopUpload(connection_reset=True)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Never called."""

    def file_complete(self, file_size: int) -> None:
        """Never called."""


class LimitedUploadHandler(TemporaryFileUploadHandler):
    """Streams a file to FILE_UPLOAD_TEMP_DIR (a private file under a random name). Raises FileTooLarge, DiskFull."""

    received = 0  # bytes, so far

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, *args: Any, **kwargs: Any) -> None:
        """Refuse an upload whose declared size is too large or does not fit on the disk."""
        self.require_room(content_length)
        if content_length > shutil.disk_usage(settings.FILE_UPLOAD_TEMP_DIR).free:
            raise DiskFull

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Make the file."""
        with self.gone_if_the_disk_is_full():
            super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write a piece to disk."""
        self.received += len(raw_data)
        self.require_room(self.received)
        with self.gone_if_the_disk_is_full():
            super().receive_data_chunk(raw_data, start)

    def file_complete(self, file_size: int) -> Any:
        """Flush the buffer to disk."""
        with self.gone_if_the_disk_is_full():
            return super().file_complete(file_size)

    def require_room(self, size: int) -> None:
        """Raises FileTooLarge."""
        limit = settings.UPLOAD_LIMIT
        if size > limit:
            raise FileTooLarge(
                f"An upload may have {limit // 2**20:,} MB. Compress the file with gzip, split it, or ask the operator"
                " to import it with manage.py import_traces.",
                limit=limit,
            )

    @contextmanager
    def gone_if_the_disk_is_full(self) -> Iterator[None]:
        """Frees the space immediately, so that other work can go on. Raises DiskFull."""
        try:
            yield
        except OSError as fault:
            if not is_full_disk(fault):
                raise
            if getattr(self, "file", None) is not None:
                with suppress(OSError):  # there is no room for the buffer either; close the file anyway
                    self.file.close()
            raise DiskFull from fault
