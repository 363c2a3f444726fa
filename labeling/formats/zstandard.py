"""Members of zip archives that are compressed with Zstandard, which Python does not unpack.

Imported only when one is encountered: pyarrow takes fifty megabytes.
"""

import io
import struct
import zipfile
import zlib
from typing import Any

import pyarrow as pa

LOCAL_HEADER = struct.Struct("<4s22xHH")  # before a member: signature, and the lengths of name and extra field
SIGN = b"PK\x03\x04"
LOCKED = 0x1
PIECE = 65_536


class Packed(io.RawIOBase):
    """The bytes of one member as stored in the archive."""

    def __init__(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
        """Raises BadZipFile, RuntimeError (encrypted)."""
        if member.flag_bits & LOCKED:
            raise RuntimeError(f"File {member.filename!r} is encrypted, password required for extraction")
        assert archive.fp is not None
        self.file: Any = archive.fp
        self.file.seek(member.header_offset)
        header = self.file.read(LOCAL_HEADER.size)
        if len(header) < LOCAL_HEADER.size or not header.startswith(SIGN):
            raise zipfile.BadZipFile("Bad magic number for file header")
        _, name, extra = LOCAL_HEADER.unpack(header)
        self.place = member.header_offset + LOCAL_HEADER.size + name + extra
        self.left = member.compress_size

    def readable(self) -> bool:
        """Return true; wrappers of the stream ask."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the wrapper's buffer."""
        self.file.seek(self.place)
        data = self.file.read(min(len(buffer), self.left))
        buffer[: len(data)] = data
        self.place += len(data)
        self.left -= len(data)
        return len(data)


class ZstandardMember(io.RawIOBase):
    """The content of such a member. The decoder refuses a frame that asks for more than 128 MB."""

    def __init__(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
        """Raises BadZipFile, RuntimeError (encrypted)."""
        self.archive, self.member = archive, member
        self._begin()

    def _begin(self) -> None:
        self.stream = pa.CompressedInputStream(pa.PythonFile(Packed(self.archive, self.member), mode="r"), "zstd")
        self.place = self.checked = 0

    def readable(self) -> bool:
        """Return true; wrappers of the stream ask."""
        return True

    def seekable(self) -> bool:
        """Return true, although only the beginning can be sought."""
        return True

    def tell(self) -> int:
        """Return how many bytes were read."""
        return self.place

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        """Go back to the beginning, whatever `place` is."""
        self._begin()
        return 0

    def readinto(self, buffer: Any) -> int:
        """Fill the wrapper's buffer. Raises OSError (damaged), BadZipFile (not the bytes that were packed)."""
        data: bytes = self.stream.read(min(len(buffer), PIECE))
        if not data and len(buffer) and self.checked != self.member.CRC:
            raise zipfile.BadZipFile(f"Bad CRC-32 for file {self.member.filename!r}")
        buffer[: len(data)] = data
        self.place += len(data)
        self.checked = zlib.crc32(data, self.checked)
        return len(data)


def zstandard_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> io.BufferedReader:
    """Open a file in the archive, as `ZipFile.open` does for those that Python unpacks."""
    return io.BufferedReader(ZstandardMember(archive, member), PIECE)
