"""How a request's body arrives: through the event loop, piece by piece, within seconds each, while no thread waits.

A small body is complete before a thread sees the request. For a file, only the first piece is. The thread that stores
the file asks for the others, and waits for each one half as long as the event loop would.
"""

import asyncio
import io
from collections.abc import AsyncIterator
from typing import Any

from django.conf import settings
from django.http import UnreadablePostError
from granian.rsgi import ProtocolClosed

PIECE = 64 * 2**10
MAX_WHOLE = 8 * 2**20  # limit of the API and of Django's forms; does not apply to files
ROOM = 64 * 2**20  # bytes of bodies, beyond one piece each, that a process holds at once


class BodyFault(Exception):
    """A body that the server stops waiting for. Without a status, no answer is sent."""

    status = 0
    code = detail = ""


class CutOff(BodyFault):
    """The sender hung up before the end."""


class TooSlow(BodyFault):
    """The sender stopped sending, or sends too slowly."""

    status = 408
    code = "too_slow"
    detail = "The request did not arrive in time, so nothing was kept. Check the connection and send it again."


class TooLarge(BodyFault):
    """The body is larger than allowed for any request other than an upload."""

    status = 413
    code = "too_large"
    detail = f"The request is larger than {MAX_WHOLE // 2**20} MB. Send less at once."


class NoRoom(BodyFault):
    """Too many large bodies are arriving at once."""

    status = 503
    code = "busy"
    detail = "The server is receiving too many large requests just now. Nothing was kept. Try again in a few seconds."


class Room:
    """Counts the bytes of large bodies that are held at once."""

    def __init__(self, size: int = ROOM) -> None:
        self.free = size

    def take(self, size: int) -> None:
        """Reserve `size` bytes. Raises NoRoom."""
        if size > self.free:
            raise NoRoom
        self.free -= size

    def give_back(self, size: int) -> None:
        """Return `size` bytes, once the request has ended."""
        self.free += size


class Body:
    """A body on its way in. `length` is what its sender declared, or None if it comes in chunks."""

    def __init__(self, proto: Any, length: int | None, room: Room) -> None:
        self.length = length
        self.room = room
        self.taken = 0  # bytes of the room
        self.received = 0
        self.ended = length == 0
        self.left: bytes = b""  # arrived, but not yet asked for
        self.proto = proto
        self.chunks: AsyncIterator[bytes] | None = None  # made when the first chunk is asked for

    @property
    def complete(self) -> bool:
        """Whether nothing is left to ask for."""
        return self.ended and not self.left

    async def whole(self) -> bytes:
        """Return the whole body. Raises BodyFault."""
        if self.length is not None and self.length <= PIECE:
            return await self._small()
        if (self.length or 0) > MAX_WHOLE:
            raise TooLarge
        pieces = [await self.piece()]
        while not self.complete:
            self._make_room()
            pieces.append(await self.piece())
        return b"".join(pieces)

    async def piece(self, patience: float = 1) -> bytes:
        """Return the next PIECE bytes, fewer at the end. Raises BodyFault."""
        try:
            async with asyncio.timeout(settings.BODY_SECONDS * patience):
                return await self._collect()
        except TimeoutError:
            raise TooSlow from None

    async def _small(self) -> bytes:
        """Read a small body, which nearly every request has, at a third of the cost."""
        try:
            async with asyncio.timeout(settings.BODY_SECONDS):
                return await self.proto()
        except TimeoutError:
            raise TooSlow from None
        except ProtocolClosed:
            raise CutOff from None

    def close(self) -> None:
        """Let go of the body, which nobody needs any more. While we hold the web server's end, the connection stays
        open.
        """
        self.room.give_back(self.taken)
        self.taken = 0
        self.proto = self.chunks = None

    async def _collect(self) -> bytes:
        found = [self.left]
        size = len(self.left)
        while size < PIECE and not self.ended:
            found.append(await self._next())
            size += len(found[-1])
        data = b"".join(found)
        self.left = data[PIECE:]
        return data[:PIECE]

    async def _next(self) -> bytes:
        """Return a chunk as it came from the network. granian marks the end by an empty chunk, a cut by two."""
        self.chunks = self.chunks or aiter(self.proto)
        chunk = await anext(self.chunks)
        self.received += len(chunk)
        if not chunk:
            self.ended = True
            short = self.length is not None and self.received < self.length
            if short or await anext(self.chunks, None) is not None:
                raise CutOff
        elif self.received == self.length:
            self.ended = True
        return chunk

    def _make_room(self) -> None:
        if self.received > MAX_WHOLE:
            raise TooLarge
        self.room.take(PIECE)
        self.taken += PIECE


class FileStream(io.RawIOBase):
    """A body as read by the thread that stores it, while the event loop waits for the network."""

    def __init__(self, body: Body, first: bytes, loop: asyncio.AbstractEventLoop) -> None:
        self.body = body
        self.arrived = first
        self.loop = loop
        self.given_up = False

    def readable(self) -> bool:
        """Return True. Called by objects that wrap this one."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes, b"" at the end. Raises UnreadablePostError if they do not arrive in time."""
        if not self.arrived and not self.body.complete:
            self.arrived = self._wait()
        size = len(self.arrived) if size < 0 else size
        data, self.arrived = self.arrived[:size], self.arrived[size:]
        return data

    def _wait(self) -> bytes:
        if not self.given_up:
            try:
                return self._asked()
            except (BodyFault, TimeoutError):
                self.given_up = True
        raise UnreadablePostError("The body stopped coming.")

    def _asked(self) -> bytes:
        piece = asyncio.run_coroutine_threadsafe(self.body.piece(patience=0.5), self.loop)
        try:
            return piece.result(settings.BODY_SECONDS)
        finally:
            del piece  # holds its fault, which holds this frame, and so a half-stored file
