"""Pictures that a recorder kept in its file: recognised by their first bytes, measured without decoding. Pure.

Only types that every browser draws as plain pictures are accepted: no SVG, which is a program. The file is stored
unchanged under its hash. Its size in pixels is read from its header, and from the frames of a GIF, and is accepted up
to a limit.
"""

import base64
import binascii
import hashlib
import re
import struct
from typing import Any, NamedTuple

LARGEST = 4 * 2**20  # bytes
MOST_PIXELS = 25_000_000
DATA_URL = re.compile(r"data:image/[a-z.+-]+;base64,([A-Za-z0-9+/=\s]+)\Z")
GIF_FRAME, GIF_ABOUT = 0x2C, 0x21  # the first byte of a part of a GIF
JPEG_SIZES = frozenset((*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0)))


class Picture(NamedTuple):
    """A picture as a step refers to it, and its bytes."""

    sha256: str
    content_type: str
    width: int
    height: int
    data: bytes

    @property
    def named(self) -> dict[str, Any]:
        """The parts that a typed step stores."""
        return {"sha256": self.sha256, "type": self.content_type, "width": self.width, "height": self.height}


def picture_of(data: bytes) -> Picture | None:
    """Return the picture in these bytes; None if they are not a picture of a supported type and size."""
    if len(data) > LARGEST:
        return None
    try:
        found = _measured(data)
    except (struct.error, IndexError):
        return None
    if found is None:
        return None
    content_type, width, height = found
    if not 0 < width * height <= MOST_PIXELS:
        return None
    return Picture(hashlib.sha256(data).hexdigest(), content_type, width, height, data)


def picture_in(text: Any) -> Picture | None:
    """Return the picture in a data URL or Base64; None for a web address and anything else. Nothing is fetched."""
    if not isinstance(text, str) or len(text) > LARGEST * 2:
        return None
    found = DATA_URL.match(text)
    try:
        return picture_of(base64.b64decode(found[1] if found else text, validate=not found))
    except (binascii.Error, ValueError):
        return None


def _measured(data: bytes) -> tuple[str, int, int] | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
        return "image/png", *struct.unpack(">II", data[16:24])
    if data[:6] in (b"GIF87a", b"GIF89a"):
        return _gif(data)
    if data.startswith(b"\xff\xd8\xff"):
        return _jpeg(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp(data)
    return None


def _gif(data: bytes) -> tuple[str, int, int]:
    """Return the size from the header, or the extent of the frames if larger: browsers make room for them. Browsers
    show as much of a truncated file as there is.
    """
    width, height = struct.unpack("<HH", data[6:10])
    at = 13 + _palette(data[10])
    while at < len(data) and data[at] in (GIF_FRAME, GIF_ABOUT):
        if data[at] == GIF_FRAME:
            if at + 10 > len(data):
                break
            left, top, wide, high, flags = struct.unpack("<HHHHB", data[at + 1 : at + 10])
            width, height = max(width, left + wide), max(height, top + high)
            at += 11 + _palette(flags)  # to the frame's first block, which comes after the size of its codes
        else:
            at += 2
        while at < len(data) and data[at]:
            at += 1 + data[at]
        at += 1
    return "image/gif", width, height


def _palette(flags: int) -> int:
    """Return how many bytes of colours follow."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _jpeg(data: bytes) -> tuple[str, int, int] | None:
    at = 2
    while at + 9 < len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker in JPEG_SIZES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return "image/jpeg", width, height
        at += 1 if marker == 0xFF else 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
    return None


def _webp(data: bytes) -> tuple[str, int, int] | None:
    kind = data[12:16]
    if kind == b"VP8X":
        width, height = (int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27))
        return "image/webp", width, height
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return "image/webp", (bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", data[26:30])
        return "image/webp", width & 0x3FFF, height & 0x3FFF
    return None
