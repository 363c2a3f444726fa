"""What a file is before its rows: packed, in another encoding, not text. Decided by its first bytes."""

import bz2
import codecs
import gzip
import importlib
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO

from labeling.formats.faults import Fault, shown

HEAD = 65_536  # bytes by which the kind of a file is decided
READ_AT_ONCE = 65_536
SIP = 4096  # bytes
BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, zipfile.BadZipFile, OSError)
PANDAS = "python -c \"import pandas as pd; pd.read_{0}('FILE').to_json('rows.jsonl', orient='records', lines=True)\""
LINES = "Use JSON lines: one JSON object per line."
PACKED: dict[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": lambda raw: gzip.GzipFile(filename="", mode="rb", fileobj=raw),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lambda raw: io.BufferedReader(Xz(raw)),
}
XZ_MEMORY = 128 * 2**20  # bytes for unpacking: xz -9 needs 65 MB, and a file may ask for 4 GB
ZIP = b"PK\x03\x04"
ZIP_LIST = 4 * 2**20  # maximum bytes of a zip archive's list of files, which is read all at once
# Python unpacks these in pieces. With the others, one piece of 4 KB may hold gigabytes.
ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ZIP_ZSTANDARD = 93  # Python does not unpack it; Inspect's newer logs use it
ENCODINGS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    b"{\x00": "utf-16-le",
    b"[\x00": "utf-16-le",
    b"\x00{": "utf-16-be",
    b"\x00[": "utf-16-be",
}
# Known kinds that are not read: how each begins, the fault's kind, what it is, and what to do.
REFUSED = (
    (b"PAR1", "parquet_file", "a Parquet file", f"Write its rows as JSON lines: {PANDAS.format('parquet')}"),
    (b"ARROW1", "arrow_file", "an Arrow (Feather) file", f"Write its rows as JSON lines: {PANDAS.format('feather')}"),
    (b"\x28\xb5\x2f\xfd", "zstd_file", "packed with Zstandard", "Unpack it (zstd -d FILE), or pack it with gzip."),
    (b"7z\xbc\xaf\x27\x1c", "archive", "a 7-Zip archive", "Unpack it, and choose the file of rows inside."),
    (b"Rar!", "archive", "a RAR archive", "Unpack it, and choose the file of rows inside."),
    (b"%PDF", "binary_file", "a PDF", LINES),
    (b"SQLite format 3", "binary_file", "an SQLite database", f"Write its rows as lines. {LINES}"),
    (b"\x89HDF", "binary_file", "an HDF5 file", f"Write its rows as lines. {LINES}"),
    (b"\x80\x04", "binary_file", "a Python pickle", "A pickle is a program and is never opened. Write JSON lines."),
)
POINTER = re.compile(rb"version https://git-lfs\.github\.com/spec/v1|[./]*(\.git)?/annex/objects/")
WEB_PAGE = re.compile(rb"\s*<(!doctype html|html|\?xml)", re.IGNORECASE)
TAR_MARK = (257, b"ustar")


class Sips:
    """A packed file read in small pieces, so that its position shows how far reading has got: a megabyte of blank lines
    packs into a thousand bytes.
    """

    def __init__(self, raw: BinaryIO) -> None:
        self.raw = raw

    def read(self, size: int) -> bytes:
        """Read at most SIP bytes, even if more are asked for."""
        return self.raw.read(min(size, SIP))

    def seek(self, place: int) -> int:
        """Seek as the file does."""
        return self.raw.seek(place)

    def seekable(self) -> bool:
        """Return true, so that reading can start again."""
        return True


class Xz(io.RawIOBase):
    """lzma.LZMAFile limited to XZ_MEMORY. Without the limit, the file itself chooses how much memory unpacking
    takes."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self._begin()

    def _begin(self) -> None:
        self.place, self.decoder = 0, lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)

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
        self.raw.seek(0)
        self._begin()
        return 0

    def readinto(self, buffer: Any) -> int:
        """Fill the wrapper's buffer. Raises UnreadableFile, EOFError, LZMAError."""
        data = b""
        while not data and (piece := self._packed()) is not None:
            try:
                data = self.decoder.decompress(piece, len(buffer))
            except lzma.LZMAError as error:
                if "limit" not in str(error):
                    raise
                do = "Pack it with xz -9 or less, or with gzip."
                raise UnreadableFile("bad_packing", f"more than {XZ_MEMORY >> 20} MB of memory to unpack", do) from None
        buffer[: len(data)] = data
        self.place += len(data)
        return len(data)

    def _packed(self) -> bytes | None:
        """Return the decoder's next input, or None at the end. Several streams may follow each other, with zeros in
        between.
        """
        if self.decoder.eof:
            left = self.decoder.unused_data.lstrip(b"\x00")
            while not left and (piece := self.raw.read(SIP)):
                left = piece.lstrip(b"\x00")
            self.decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY) if left else self.decoder
            return left or None
        piece = self.raw.read(SIP) if self.decoder.needs_input else b""
        if not piece and self.decoder.needs_input:
            raise EOFError("the packed text ends before its end")
        return piece


class ShortList:
    """A zip archive whose list of files, which is read all at once, may not be longer than ZIP_LIST."""

    def __init__(self, raw: BinaryIO) -> None:
        self.raw, self.opened = raw, False

    def read(self, size: int = -1) -> bytes:
        """Read as the file does. Raises BadZipFile."""
        if size > ZIP_LIST and not self.opened:
            raise zipfile.BadZipFile("its list of files is too long")
        return self.raw.read(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


class UnreadableFile(Exception):
    """No row of the file can be read, all for one reason, given in `fault`."""

    def __init__(self, kind: str, found: str, do: str) -> None:
        """Place the fault on line 1, as it concerns the whole file."""
        super().__init__(found)
        self.fault = Fault(kind, 1, "", found, do)


class Recoded:
    """A text of another encoding, converted to UTF-8 piece by piece."""

    def __init__(self, stream: Any, encoding: str) -> None:
        """`stream` must be at its first byte."""
        self.stream, self.encoding = stream, encoding
        self.decoder = codecs.getincrementaldecoder(encoding)()
        self.ready, self.over = b"", False

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes; none at the end. Raises UnreadableFile."""
        while len(self.ready) < size and not self.over:
            self._more()
        piece, self.ready = self.ready[:size], self.ready[size:]
        return piece

    def readline(self, size: int) -> bytes:
        """Return a line with its end, or `size` bytes of it. Raises UnreadableFile."""
        while (end := self.ready.find(b"\n") + 1) == 0 and len(self.ready) < size and not self.over:
            self._more()
        return self.read(min(end or size, size, len(self.ready)))

    def seek(self, place: int) -> None:
        """Go back to the beginning, the only supported place."""
        self.stream.seek(place)
        self.__init__(self.stream, self.encoding)  # type: ignore[misc]  # it begins again

    def _more(self) -> None:
        piece = self.stream.read(READ_AT_ONCE)
        self.over = not piece
        try:
            text = self.decoder.decode(piece, final=self.over)
            self.ready += text.removeprefix("\ufeff").encode()
        except UnicodeError as error:
            do = "The file is cut off or damaged. Save it as UTF-8."
            raise UnreadableFile("bad_encoding", f"not {self.encoding}: {shown(str(error))}", do) from None


def opened(raw: BinaryIO) -> tuple[Any, bytes]:
    """Return the text in a file as a stream of UTF-8 at its first byte, and its first bytes. `raw` must be seekable.

    Raises UnreadableFile, including when the packing is broken from the first byte.
    """
    head = _head(raw)
    if head.startswith(ZIP):
        stream, head = _unpacked(_only_member(raw))
    elif pack := next((pack for magic, pack in PACKED.items() if head.startswith(magic)), None):
        stream, head = _unpacked(pack(Sips(raw)))
    else:
        stream = raw
    _refuse_what_is_no_text(head)
    encoding = next((name for mark, name in ENCODINGS.items() if head.startswith(mark)), None)
    if encoding is None:
        return stream, head
    recoded = Recoded(stream, encoding)
    return recoded, _head(recoded)


def opened_zip(raw: BinaryIO) -> zipfile.ZipFile:
    """Open a zip archive and read its list of files. Raises BadZipFile, including when the list is longer than
    ZIP_LIST.
    """
    listed = ShortList(raw)
    archive = zipfile.ZipFile(listed)  # provides every file method that ZipFile uses
    listed.opened = True
    return archive


def opened_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Any:
    """Open a file in the archive. Always give `read` a size: the size stated in the archive may be wrong.

    Raises BadZipFile, RuntimeError (encrypted).
    """
    if member.compress_type == ZIP_ZSTANDARD:  # takes fifty megabytes that no other archive needs
        return importlib.import_module("labeling.formats.zstandard").zstandard_member(archive, member)
    if member.compress_type not in ZIP_METHODS:
        raise zipfile.BadZipFile("compressed with a method other than deflate or Zstandard: pack it again with zip")
    return archive.open(member)


def bad_packing(number: int, error: Exception) -> Fault:
    """Return the fault of a packed file that ends or breaks at a line. Raises the error if it is the disk's."""
    if isinstance(error, OSError) and error.errno:
        raise error
    do = "The packed file is cut off or damaged: pack it again. Nothing after this place was read."
    return Fault("bad_packing", number, "", shown(str(error)), do)


def _head(stream: Any) -> bytes:
    head: bytes = stream.read(HEAD)
    stream.seek(0)
    return head


def _unpacked(stream: Any) -> tuple[Any, bytes]:
    try:
        return stream, _head(stream)
    except BROKEN:
        stream.seek(0)
        return stream, b""  # some rows may be intact: reading shows where it breaks


def _only_member(raw: BinaryIO) -> Any:
    """Open the only file of a zip archive."""
    try:
        archive = opened_zip(raw)
    except BROKEN as error:
        raise UnreadableFile("bad_packing", shown(str(error)), "The archive is cut off or damaged.") from None
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        found = f"a zip archive of {len(members)} files: {', '.join(member.filename for member in members[:5])}"
        raise UnreadableFile("archive", shown(found), "Unpack it, and choose the file of rows inside.")
    try:
        return io.BufferedReader(opened_member(archive, members[0]))  # it has the interface of a raw file
    except (RuntimeError, zipfile.BadZipFile) as error:
        raise UnreadableFile("archive", shown(str(error)), "Unpack it, and choose the file inside.") from None


def _refuse_what_is_no_text(head: bytes) -> None:
    for magic, kind, found, do in REFUSED:
        if head.startswith(magic):
            raise UnreadableFile(kind, found, do)
    if POINTER.match(head):
        do = "Fetch the file itself (git lfs pull, git annex get, or the site's download link), and import it."
        raise UnreadableFile("pointer_file", "a Git LFS or git-annex pointer to a file stored elsewhere", do)
    if WEB_PAGE.match(head):
        do = "This is the page that a browser shows. Download the file itself (follow the link named raw or download)."
        raise UnreadableFile("web_page", shown(head[:60].decode(errors="replace")), do)
    place, mark = TAR_MARK
    if head[place : place + len(mark)] == mark:
        raise UnreadableFile("archive", "a tar archive", "Unpack it, and choose the file of rows inside.")
    if b"\x00" in head[:1024] and not head.startswith((*ENCODINGS, b"{", b"[")):
        raise UnreadableFile("binary_file", "bytes that are not text", LINES)
