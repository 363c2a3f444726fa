"""What a file is before its rows: packed, in another encoding, a kind that is no text. Decided by its first bytes."""

import bz2
import codecs
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO

from labeling.formats.faults import Fault, shown

HEAD = 65_536  # bytes by which a file is judged
READ_AT_ONCE = 65_536
SIP = 4096  # bytes
BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, zipfile.BadZipFile, OSError)
PANDAS = "python -c \"import pandas as pd; pd.read_{0}('FILE').to_json('rows.jsonl', orient='records', lines=True)\""
LINES = "Give JSON lines: one JSON object a line."
PACKED: dict[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": lambda raw: gzip.GzipFile(filename="", mode="rb", fileobj=raw),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
ZIP = b"PK\x03\x04"
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
# What is known and not read: how it begins, the fault's kind, what it is, and the way out.
REFUSED = (
    (b"PAR1", "parquet_file", "a Parquet file", f"Write its rows as JSON lines: {PANDAS.format('parquet')}"),
    (b"ARROW1", "arrow_file", "an Arrow (Feather) file", f"Write its rows as JSON lines: {PANDAS.format('feather')}"),
    (b"\x28\xb5\x2f\xfd", "zstd_file", "packed with Zstandard", "Unpack it (zstd -d FILE), or pack it with gzip."),
    (b"7z\xbc\xaf\x27\x1c", "archive", "a 7-Zip archive", "Unpack it, and give the file of rows that is in it."),
    (b"Rar!", "archive", "a RAR archive", "Unpack it, and give the file of rows that is in it."),
    (b"%PDF", "binary_file", "a PDF", LINES),
    (b"SQLite format 3", "binary_file", "an SQLite database", f"Write its rows as lines. {LINES}"),
    (b"\x89HDF", "binary_file", "an HDF5 file", f"Write its rows as lines. {LINES}"),
    (b"\x80\x04", "binary_file", "a Python pickle", "A pickle is a program and is never opened. Write JSON lines."),
)
POINTER = re.compile(rb"version https://git-lfs\.github\.com/spec/v1|[./]*(\.git)?/annex/objects/")
WEB_PAGE = re.compile(rb"\s*<(!doctype html|html|\?xml)", re.IGNORECASE)
TAR_MARK = (257, b"ustar")


class Sips:
    """A packed file that is read in small pieces, so that its position tells how far reading has come: a megabyte of
    blank lines is packed into a thousand bytes.
    """

    def __init__(self, raw: BinaryIO) -> None:
        self.raw = raw

    def read(self, size: int) -> bytes:
        """Less than is asked for."""
        return self.raw.read(min(size, SIP))

    def seek(self, place: int) -> int:
        """As the file."""
        return self.raw.seek(place)

    def seekable(self) -> bool:
        """So that reading can begin again."""
        return True


class UnreadableFile(Exception):
    """No row of the file can be read, for one reason; `fault` says it."""

    def __init__(self, kind: str, found: str, do: str) -> None:
        """About the whole file, and so about its first line."""
        super().__init__(found)
        self.fault = Fault(kind, 1, "", found, do)


class Recoded:
    """A text of another encoding as UTF-8, a piece at a time."""

    def __init__(self, stream: Any, encoding: str) -> None:
        """`stream` stands at its first byte."""
        self.stream, self.encoding = stream, encoding
        self.decoder = codecs.getincrementaldecoder(encoding)()
        self.ready, self.over = b"", False

    def read(self, size: int) -> bytes:
        """At most `size` bytes; none at the end. Raises UnreadableFile."""
        while len(self.ready) < size and not self.over:
            self._more()
        piece, self.ready = self.ready[:size], self.ready[size:]
        return piece

    def readline(self, size: int) -> bytes:
        """A line with its end, or `size` bytes of it. Raises UnreadableFile."""
        while (end := self.ready.find(b"\n") + 1) == 0 and len(self.ready) < size and not self.over:
            self._more()
        return self.read(min(end or size, size, len(self.ready)))

    def seek(self, place: int) -> None:
        """Back to the beginning, the only place it knows."""
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
    """The text in a file as a stream of UTF-8 that stands at its first byte, and its first bytes. `raw` is seekable.

    Raises UnreadableFile, also where its packing is broken from the first byte on.
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


def bad_packing(number: int, error: Exception) -> Fault:
    """The fault of a packed file that ends or breaks at a line. Raises the error where it is the disk's."""
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
        return stream, b""  # some rows may be whole: reading tells where it breaks


def _only_member(raw: BinaryIO) -> Any:
    """The one file of a zip archive."""
    try:
        archive = zipfile.ZipFile(raw)
    except BROKEN as error:
        raise UnreadableFile("bad_packing", shown(str(error)), "The archive is cut off or damaged.") from None
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        found = f"a zip archive of {len(members)} files: {', '.join(member.filename for member in members[:5])}"
        raise UnreadableFile("archive", shown(found), "Unpack it, and give the file of rows that is in it.")
    try:
        return io.BufferedReader(archive.open(members[0]))
    except (RuntimeError, NotImplementedError) as error:
        raise UnreadableFile("archive", shown(str(error)), "Unpack it, and give the file that is in it.") from None


def _refuse_what_is_no_text(head: bytes) -> None:
    for magic, kind, found, do in REFUSED:
        if head.startswith(magic):
            raise UnreadableFile(kind, found, do)
    if POINTER.match(head):
        do = "Fetch the file itself (git lfs pull, git annex get, or the site's download link), and import that."
        raise UnreadableFile("pointer_file", "a Git LFS or git-annex pointer, which stands for a file elsewhere", do)
    if WEB_PAGE.match(head):
        do = "This is what a browser shows. Download the file itself (the link named raw or download)."
        raise UnreadableFile("web_page", shown(head[:60].decode(errors="replace")), do)
    place, mark = TAR_MARK
    if head[place : place + len(mark)] == mark:
        raise UnreadableFile("archive", "a tar archive", "Unpack it, and give the file of rows that is in it.")
    if b"\x00" in head[:1024] and not head.startswith((*ENCODINGS, b"{", b"[")):
        raise UnreadableFile("binary_file", "bytes that are no text", LINES)
