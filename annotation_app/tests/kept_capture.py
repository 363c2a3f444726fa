"""pytest plugin: only pytest can close the file that it captures output into; anything else that tries is named.

If something closes `sys.stdout` or a wrapper of its buffer (garbage collection of a forgotten TextIOWrapper does),
that test would pass, and each later one in the same process would fail with "I/O operation on closed file".
"""

import inspect
import io
import os
import traceback
import warnings
from tempfile import TemporaryFile
from typing import Any

from _pytest import capture

ENDS = {capture.FDCaptureBase.done.__code__, capture.SysCaptureBase.done.__code__}


class ForeignCloseWarning(UserWarning):
    """Something other than pytest closed the file that pytest captures into; the message is the stack."""


class KeptFile(io.FileIO):
    """A file that is closed only at the end of its capture."""

    def close(self) -> None:
        """Close it if pytest asks; otherwise warn."""
        if self.closed:
            return
        frame = inspect.currentframe()
        while frame is not None and frame.f_code not in ENDS:
            frame = frame.f_back
        if frame is not None:
            super().close()
        else:
            warnings.warn("".join(traceback.format_stack(limit=15)), ForeignCloseWarning, stacklevel=2)


def kept_file(**about: Any) -> KeptFile:
    """Return a KeptFile in place of `TemporaryFile(buffering=0)`."""
    with TemporaryFile(**about) as file:
        return KeptFile(os.dup(file.fileno()), "rb+")


capture.TemporaryFile = kept_file  # type: ignore[assignment]
