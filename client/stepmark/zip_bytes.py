"""Every byte of a release's zip belongs to a file that its list names.

Python's `zipfile` reads only the list at the end and what it points to. Other programs may also read bytes before,
between or after those, and trust a file's own header where it differs from the list.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, NamedTuple

from stepmark.errors import Damaged

HEADER = struct.Struct("<4s5H3L2H")  # a file's header, in front of its bytes
LISTED = struct.Struct("<4s6H3L5H2L")  # a file's entry in the list
END, END_64, WHERE_64 = struct.Struct("<4s4H2LH"), struct.Struct("<4sQ2H2L4Q"), struct.Struct("<4sLQL")
ZIP64 = b"\x01\x00"  # the extra field of sizes above 4 GB
UTF8_NAME = 0x800
MORE = 0xFFFFFFFF  # the number is in the extra field
PIECE = 2**20
LEFT = "Do not unpack the download."


class Placed(NamedTuple):
    """A file in the zip, and the position of its packed bytes."""

    entry: zipfile.ZipInfo
    start: int


def place_all(file: IO[bytes], archive: zipfile.ZipFile) -> dict[str, Placed]:
    """Return the position of each file's bytes, after checking that files and headers fill the whole zip.

    Raises Damaged.
    """
    entries = archive.infolist()
    raw_names = _read_list(file, archive, entries)
    placed, at = {}, 0
    for entry in sorted(entries, key=lambda one: one.header_offset):
        if entry.header_offset != at:
            raise Damaged(f"The zip has bytes before {entry.filename} that belong to no file, or to two. {LEFT}")
        start = _read_header(file, entry, raw_names[entry.header_offset])
        placed[entry.filename] = Placed(entry, start)
        at = start + entry.compress_size
    if at != archive.start_dir:
        raise Damaged(f"The zip has bytes before its list that belong to no file, or to two. {LEFT}")
    return placed


def unpack(file: IO[bytes], placed: Placed) -> Iterator[bytes]:
    """Yield the file's content in pieces. Raises Damaged if its packed bytes hold more or less than listed."""
    entry, crc, size = placed.entry, 0, 0
    pieces = _packed(file, placed)
    for piece in pieces if entry.compress_type == zipfile.ZIP_STORED else _inflated(pieces, entry.filename):
        crc, size = zlib.crc32(piece, crc), size + len(piece)
        if size > entry.file_size:
            break
        yield piece
    if (size, crc) != (entry.file_size, entry.CRC):
        raise Damaged(f"{entry.filename} does not match the zip's list. Download it again.")


def _packed(file: IO[bytes], placed: Placed) -> Iterator[bytes]:
    file.seek(placed.start)
    left = placed.entry.compress_size
    while left and (piece := file.read(min(left, PIECE))):
        left -= len(piece)
        yield piece


def _inflated(pieces: Iterator[bytes], name: str) -> Iterator[bytes]:
    """Unpack the pieces. Raises Damaged if bytes follow the end of the packed stream."""
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    for packed in pieces:
        given = packed
        while given and not stream.eof:
            yield stream.decompress(given, PIECE)
            given = stream.unconsumed_tail
        if given or stream.unused_data:
            raise Damaged(f"The zip has bytes behind the end of {name} that belong to no file. {LEFT}")
    yield stream.flush()
    if not stream.eof:
        raise Damaged(f"{name} ends too early. Download it again.")


def _read_list(file: IO[bytes], archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo]) -> dict[int, bytes]:
    """Return the bytes of each name, by the position of its header. Raises Damaged if anything follows the list."""
    file.seek(archive.start_dir)
    names = {}
    for entry in entries:
        *_, name, extra, comment, _disk, _inner, _outer, _offset = _unpacked(LISTED, file, b"PK\x01\x02", "its list")
        names[entry.header_offset] = file.read(name)
        _require_zip64_alone(entry, file.read(extra))
        if comment or entry.flag_bits & ~UTF8_NAME:
            raise Damaged(f"{entry.filename} has a remark or is not packed the way releases are. {LEFT}")
    listed_to = file.tell()
    size = file.seek(0, 2)
    if size - listed_to == END_64.size + WHERE_64.size + END.size:
        file.seek(listed_to)
        _, rest, *_ = _unpacked(END_64, file, b"PK\x06\x06", "the end of its list")
        _, _, where, _ = _unpacked(WHERE_64, file, b"PK\x06\x07", "the end of its list")
        if (rest, where) != (END_64.size - 12, listed_to):
            raise Damaged(f"The zip's list has two ends. {LEFT}")
    elif size - listed_to != END.size:
        raise Damaged(f"The zip has bytes behind its list that belong to no file. {LEFT}")
    return names


def _read_header(file: IO[bytes], entry: zipfile.ZipInfo, raw_name: bytes) -> int:
    """Return the position of the packed bytes. Raises Damaged if the file's own header differs from the list."""
    file.seek(entry.header_offset)
    _, _, flags, method, _, _, crc, packed, whole, name, extra = _unpacked(HEADER, file, b"PK\x03\x04", entry.filename)
    own_name, more = file.read(name), file.read(extra)
    _require_zip64_alone(entry, more)
    if MORE in (packed, whole) and len(more) == 20:
        whole, packed = struct.unpack("<2Q", more[4:])
    told = (entry.flag_bits, entry.compress_type, entry.CRC, entry.compress_size, entry.file_size, raw_name)
    if (flags, method, crc, packed, whole, own_name) != told:
        raise Damaged(f"{entry.filename} is described in two ways in the zip. {LEFT}")
    return file.tell()


def _require_zip64_alone(entry: zipfile.ZipInfo, extra: bytes) -> None:
    """Raise Damaged if an extra field could hold anything but sizes and an offset."""
    if extra and (
        extra[:2] != ZIP64 or len(extra) not in (12, 20, 28) or extra[2:4] != struct.pack("<H", len(extra) - 4)
    ):
        raise Damaged(f"{entry.filename} has a field that releases do not have. {LEFT}")


def _unpacked(shape: struct.Struct, file: IO[bytes], sign: bytes, where: str) -> tuple[int, ...]:
    read = file.read(shape.size)
    if len(read) != shape.size or read[:4] != sign:
        raise Damaged(f"The zip is broken at {where}. Download it again.")
    return shape.unpack(read)
