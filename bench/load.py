"""The load generator, in its own process: `python -m bench.load SPEC.json`. Prints its measurements as JSON.

Annotators label without a pause (or one label per `pace` seconds), each over one persistent connection. It uses asyncio
on bare sockets, because an ordinary HTTP client would use up the cores that the servers are measured on. Its own CPU
time is part of the result. *As the page*: with a session, and every request that the page sends
(bench/page_traffic.py).
"""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import orjson

RECORDED = Path(__file__).parent / "page_traffic.json"
STEP_MS = 4_000  # time that a labeler spends on a step, as the submission reports it
KINDS = {"claim": "claim", "draft": "draft", "submit": "submit", "my_progress": "progress"}  # by the path's last part


@dataclass
class Measured:
    """Milliseconds per kind of request, and the responses other than 200."""

    milliseconds: dict[str, list[float]] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    began: float = 0.0  # earlier requests are not recorded: connections and plans warm up


class Connection(asyncio.Protocol):
    """One HTTP/1.1 connection, one request at a time."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.buffer = b""
        self.answer: asyncio.Future[tuple[int, bytes]] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Called by the event loop. A response is complete when it has the length that its header states."""
        self.buffer += data
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0 or self.answer is None:
            return
        head = self.buffer[:end].lower()
        at = head.find(b"content-length:")
        length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
        if len(self.buffer) >= end + 4 + length:
            body = self.buffer[end + 4 :]
            self.buffer = b""
            self.answer.set_result((int(head[9:12]), body))

    def connection_lost(self, fault: Exception | None) -> None:
        """Called by the event loop."""
        if self.answer is not None and not self.answer.done():
            self.answer.set_exception(fault or ConnectionResetError("The server closed the connection."))

    async def ask(self, request: bytes) -> tuple[int, bytes]:
        """Send a request; return status and body. Raises ConnectionError."""
        assert self.transport is not None
        self.answer = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await self.answer


class Annotator:
    """An annotator who claims and submits until the time is over; with `traffic`, as the labeling page does."""

    def __init__(self, spec: dict[str, Any], place: int, measured: Measured) -> None:
        self.headers = spec["headers"][place]
        self.pace = spec["pace"]
        self.offset = self.pace * place / len(spec["headers"])  # annotators start spread over the pace, not all at once
        self.slug = spec["slug"]
        self.traffic: list[list[dict[str, Any]]] = spec["traffic"]
        self.port = spec["port"]
        self.measured = measured
        self.connection = Connection()

    async def work(self, until: float) -> None:
        """Label until `until` (time.perf_counter), or until no work is left."""
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: self.connection, "127.0.0.1", self.port)
        turn, done = time.perf_counter() + self.offset, 0
        while time.perf_counter() < until:
            await asyncio.sleep(turn - time.perf_counter())
            turn = max(turn + self.pace, time.perf_counter())
            if not await (self.label_as_page(done) if self.traffic else self.label()):
                return
            done += 1

    async def label(self) -> bool:
        """Claim and submit; return whether there was something to label."""
        claim = await self.ask("claim", "POST", f"/api/projects/{self.slug}/labels/claim", {"prefetch": False})
        if claim is None or claim["label"] is None:
            return False
        label = claim["label"]
        await self.ask("submit", "POST", f"/api/labels/{label['id']}/submit", finished(ratings_of(label)))
        return True

    async def label_as_page(self, done: int) -> bool:
        """Replay the page's requests for one submission, one by one; return whether there was something to label.

        The first submission's requests include opening the page; the others are repeated in turn.
        """
        sent = self.traffic[done if done < 2 else 1 + (done - 1) % (len(self.traffic) - 1)]
        label: dict[str, Any] = {}
        for one in sent:
            kind = KINDS.get(one["path"].rsplit("/", 1)[-1], "other")
            path = one["path"].format(project=self.slug, label=label.get("id"))
            answer = await self.ask(kind, one["method"], path, body_of(kind, one["body"], label))
            if kind == "claim":
                if answer is None or answer["label"] is None:
                    return False
                label = answer["label"]
            if kind == "draft" and answer is not None:
                label["draft_revision"] = answer["draft_revision"]
        return True

    async def ask(self, kind: str, method: str, path: str, body: dict[str, Any] | None) -> Any:
        """Return the response, or None if the server refused; its time is recorded under `kind`."""
        sent = b"" if body is None else orjson.dumps(body)
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *self.headers, f"Content-Length: {len(sent)}"]
        head = "\r\n".join([*lines, "Content-Type: application/json", "", ""])
        began = time.perf_counter()
        status, answer = await self.connection.ask(head.encode() + sent)
        if began >= self.measured.began:
            self.measured.milliseconds.setdefault(kind, []).append((time.perf_counter() - began) * 1000)
        if status == 200:
            return orjson.loads(answer)
        reason = f"{kind} {status} {answer[:200].decode(errors='replace')}"
        self.measured.refused[reason] = self.measured.refused.get(reason, 0) + 1
        return None


def ratings_of(label: dict[str, Any]) -> list[int | None]:
    """Return ratings that are good up to an error in the last step but one."""
    return [*([1] * (len(label["steps"]) - 2)), -1, None]


def body_of(kind: str, recorded: dict[str, Any] | None, label: dict[str, Any]) -> dict[str, Any] | None:
    """Return a recorded body adapted to this label: with its draft's revision, or a new submission."""
    if kind == "draft" and recorded is not None:
        return {**recorded, "base_revision": label["draft_revision"]}
    return finished(ratings_of(label)) if kind == "submit" else recorded


def finished(ratings: list[int | None]) -> dict[str, Any]:
    """Return a submission as the page sends it: ratings up to the first error, and the time spans per step."""
    now = int(time.time() * 1000)
    began = now - STEP_MS * len(ratings)
    spans = [
        {"step": step, "start": began + step * STEP_MS, "end": began + step * STEP_MS + STEP_MS - 300}
        for step, rating in enumerate(ratings)
        if rating is not None
    ]
    return {
        "idempotency_key": str(uuid4()),
        "finish_reason": "found_error",
        "ratings": ratings,
        "noticed_at_step": ratings.index(-1),
        "spans": spans,
        "total_ms": now - began,
        "client_build": "bench",
    }


async def run(spec: dict[str, Any]) -> dict[str, Any]:
    """Run all annotators at once; return latencies, seconds and the generator's own CPU seconds."""
    began = time.perf_counter()
    measured = Measured(began=began + spec["warm_up"])
    until = began + spec["warm_up"] + spec["seconds"]
    cpu = time.process_time()
    people = [Annotator(spec, place, measured) for place in range(len(spec["headers"]))]
    await asyncio.gather(*(person.work(until) for person in people))
    ended = time.perf_counter()
    return {
        "seconds": ended - measured.began,
        "cpu_seconds": time.process_time() - cpu,
        "cpu_share": (time.process_time() - cpu) / (ended - began),
        "milliseconds": measured.milliseconds,
        "refused": measured.refused,
    }


def main(arguments: Sequence[str]) -> int:
    """Run the load described in SPEC.json, and print the measurements.

    SPEC.json: {port, slug, headers (lines per person), seconds, warm_up, traffic, pace (seconds per label, or 0)}.
    """
    spec = json.loads(Path(arguments[0]).read_text())
    sys.stdout.buffer.write(orjson.dumps(asyncio.run(run(spec))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
