"""JSON values read from a stream, one in memory at a time: those of one list, or objects across several lines."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

CHUNK = 2**18
GAP = re.compile(rb"[\s,]*")
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[{}\[\]"]', re.DOTALL)
LOOSE = re.compile(rb"[^,\]\n]*")  # neither object nor list: a number, a word, garbage


class Value(NamedTuple):
    """One value as bytes, and the line on which it begins. If `data` is None, `wrong` says why reading ends here."""

    line: int
    data: bytes | None
    wrong: str = ""


class _Reader:
    def __init__(self, stream: Any, limit: int) -> None:
        self.stream, self.limit = stream, limit
        self.buffer, self.at, self.line, self.over = b"", 0, 1, False

    def more(self) -> bool:
        """Read more and drop what was processed. Return False at the end, and if a value has grown beyond the limit."""
        self.buffer, self.at = self.buffer[self.at :], 0
        if self.over or len(self.buffer) > self.limit:
            return False
        held = len(self.buffer)  # read that much again: a long text is then rescanned only a few times
        piece = self.stream.read(max(CHUNK, min(held, self.limit - held + CHUNK)))
        self.over = not piece
        self.buffer += piece
        return not self.over

    def pass_gap(self) -> bytes:
        """Go to the next byte that is neither white space nor a comma, and return it; empty at the end."""
        while True:
            gap = GAP.match(self.buffer, self.at)
            self.line += self.buffer.count(b"\n", self.at, gap.end()) if gap else 0
            self.at = gap.end() if gap else self.at
            if self.at < len(self.buffer):
                return self.buffer[self.at : self.at + 1]
            if not self.more():
                return b""

    def take(self, size: int) -> Value:
        """Return the next `size` bytes as a value."""
        data = self.buffer[self.at : self.at + size]
        value = Value(self.line, data)
        self.line += data.count(b"\n")
        self.at += size
        return value

    def value(self) -> Value:
        """Return the value that begins here."""
        done, depth = 0, 0
        while True:
            for token in TOKEN.finditer(self.buffer, self.at + done):
                mark = token.group()
                if mark == b'"':
                    break  # a text that continues beyond what was read
                done = token.end() - self.at
                depth += (mark in b"{[") - (mark in b"}]") if len(mark) == 1 else 0
                if depth <= 0:
                    return self.take(done)
            if not self.more():
                wrong = "cut_off" if self.over else "too_long"
                return Value(self.line, None, wrong)

    def loose(self) -> Value:
        """Return what is here in place of an object."""
        while (end := LOOSE.match(self.buffer, self.at)) and end.end() == len(self.buffer) and self.more():
            pass
        return self.take(max(1, end.end() - self.at if end else 1))


def list_values(stream: Any, limit: int) -> Iterator[Value]:
    """Yield the values of the one list in a stream. `limit`: the maximum bytes per value."""
    reader = _Reader(stream, limit)
    reader.pass_gap()
    reader.at += 1  # its opening bracket
    while (first := reader.pass_gap()) != b"]":
        if not first:
            yield Value(reader.line, None, "cut_off")
            return
        value = reader.value() if first in b'{["' else reader.loose()
        yield value
        if value.data is None:
            return
    reader.at += 1
    if reader.pass_gap():
        yield Value(reader.line, None, "goes_on")


def object_values(stream: Any, limit: int) -> Iterator[Value]:
    """Yield objects that follow one another, each across any number of lines."""
    reader = _Reader(stream, limit)
    while first := reader.pass_gap():
        value = reader.value() if first in b'{["' else reader.loose()
        yield value
        if value.data is None:
            return
