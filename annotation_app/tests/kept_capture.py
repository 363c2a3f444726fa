"""pytest plugin: the file that pytest captures output into is closed by pytest alone, and who else tries is named.

Where something closes `sys.stdout` or a wrapper of its buffer (garbage collection does, of a forgotten TextIOWrapper),
that test would pass, and each one after it in the same process would fail with "I/O operation on closed file".
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
    """Something other than pytest closed what pytest captures into; its message is the stack."""


class KeptFile(io.FileIO):
    """A file that only the end of its capture closes."""

    def close(self) -> None:
        """Close it if pytest asks, else warn."""
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
    """As `TemporaryFile(buffering=0)`."""
    with TemporaryFile(**about) as file:
        return KeptFile(os.dup(file.fileno()), "rb+")


capture.TemporaryFile = kept_file  # type: ignore[assignment]
