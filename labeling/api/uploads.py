"""Uploads go straight to disk and stop at the site's limit."""

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import TemporaryFileUploadHandler

from labeling.errors import FileTooLarge


class LimitedUploadHandler(TemporaryFileUploadHandler):
    """Streams a file to FILE_UPLOAD_TEMP_DIR (a private file under a random name). Raises FileTooLarge."""

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, *args: Any, **kwargs: Any) -> None:
        """Refuse what says beforehand that it is too large."""
        self.received = 0
        self.require_room(content_length)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write a piece to disk."""
        self.received += len(raw_data)
        self.require_room(self.received)
        super().receive_data_chunk(raw_data, start)

    def require_room(self, size: int) -> None:
        """Raises FileTooLarge."""
        limit = settings.UPLOAD_LIMIT
        if size > limit:
            raise FileTooLarge(
                f"An upload may have {limit // 2**20:,} MB. Compress the file with gzip, split it, or ask the operator"
                " to import it with manage.py import_traces.",
                limit=limit,
            )
