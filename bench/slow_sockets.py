"""Sockets that send no body, or drip it, against a site on which people label: `python -m bench.slow_sockets`.

There are 0, 8, 64 and 512 of them in turn, silent and dripping, spread over login, /admin/login/, claim and import. A
socket that the server closes reconnects at once. Meanwhile ten labelers label without a pause, and the health checks
and a login form are requested five times a second, each over its own connection.
"""

import argparse
import asyncio
import json
import sys
import threading
import time
from typing import Any

import httpx

from bench.__main__ import keep
from bench.http_labeling import one_run, spread
from bench.installation import Installation, fresh_installation
from bench.progress import say

COUNTS = (8, 64, 512)
ANNOTATORS = 10
WATCHED = ("/healthz", "/readyz", "/api/session", "/admin/login/")
PAUSE = 0.2  # between two requests to each of them
FORM = "Content-Type: multipart/form-data; boundary=x\r\n"
COOKIE = f"Cookie: csrftoken={'a' * 32}\r\nContent-Type: application/x-www-form-urlencoded\r\n"


class Attack:
    """This many sockets in a separate thread, until the context ends."""

    def __init__(self, port: int, heads: list[bytes], count: int, *, drips: bool) -> None:
        self.port = port
        self.heads = heads
        self.count = count
        self.drips = drips
        self.begun = 0  # connections, including reconnections
        self.over = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.all()))

    def __enter__(self) -> "Attack":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()

    async def all(self) -> None:
        """Run all sockets at once."""
        await asyncio.gather(*(self.one(self.heads[number % len(self.heads)]) for number in range(self.count)))

    async def one(self, head: bytes) -> None:
        """Begin a request, send nothing or a byte a second, and reconnect when the server closes the connection."""
        while not self.over.is_set():
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except OSError:
                await asyncio.sleep(0.5)
                continue
            self.begun += 1
            writer.write(head)
            await self.hold(reader, writer)
            writer.close()

    async def hold(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hold the connection until the server closes it, or the attack ends."""
        while not self.over.is_set():
            try:
                if not await asyncio.wait_for(reader.read(65536), 1):
                    return
            except TimeoutError:
                if self.drips:
                    writer.write(b"a")
            except OSError:
                return


class Watch:
    """Requests to the WATCHED paths, as from a load balancer: milliseconds by path, and failures."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.milliseconds: dict[str, list[float]] = {path: [] for path in WATCHED}
        self.failed = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.look)

    def __enter__(self) -> "Watch":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()

    def look(self) -> None:
        """Request the paths repeatedly."""
        while not self.over.wait(PAUSE):
            for path in WATCHED:
                began = time.perf_counter()
                try:
                    answer = httpx.get(f"http://localhost:{self.port}{path}", timeout=10)
                    self.failed += answer.status_code != 200
                except httpx.TransportError:
                    self.failed += 1
                self.milliseconds[path].append((time.perf_counter() - began) * 1000)


def heads(project: dict[str, Any]) -> list[bytes]:
    """Return the requests that begin and are never completed."""
    who = f"Authorization: Bearer {project['tokens'][-1]}\r\n"
    labels = f"/api/projects/{project['slug']}/labels/claim"
    imports = f"/api/projects/{project['slug']}/imports"
    begun = [("/api/session/login", COOKIE), ("/admin/login/", COOKIE), (labels, who), (imports, who + FORM)]
    text = "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n{}\r\n"
    return [text.format(path, head).encode() for path, head in begun]


def measure(installation: Installation, *, quick: bool = False) -> dict[str, Any]:
    """Measure each number and kind of sockets, the first without any."""
    project = installation.run("bench.fill", "--tasks", "20000")
    runs = [one_attack(installation, project, 0, drips=False, quick=quick)]
    for count in COUNTS[:1] if quick else COUNTS:
        runs += [one_attack(installation, project, count, drips=drips, quick=quick) for drips in (False, True)]
    return {"runs": runs}


def one_attack(
    installation: Installation, project: dict[str, Any], count: int, *, drips: bool, quick: bool
) -> dict[str, Any]:
    """Measure labeling and the health checks with this many sockets."""
    port = installation.local.web_port
    with Attack(port, heads(project), count, drips=drips) as attack, Watch(port) as watch:
        time.sleep(0 if quick else 3)  # until all sockets have been open for a while
        labeling = one_run(installation, project, ANNOTATORS, quick=quick)
    run = {
        "sockets": count,
        "drips": drips,
        "begun": attack.begun,
        "labels_per_second": labeling["labels_per_second"],
        "claim_ms": labeling["latency_ms"]["claim"],
        "refused": labeling["refused"],
        "watched_ms": {path: spread(values) for path, values in watch.milliseconds.items()},
        "failed": watch.failed,
    }
    say(row(run))
    return run


def row(run: dict[str, Any]) -> str:
    """Return a row as in docs/operations.md."""
    slowest = {path: max(times["max"] for times in [run["watched_ms"][path]]) for path in WATCHED}
    cells = [run["sockets"], "drip" if run["drips"] else "silent" if run["sockets"] else "–", run["begun"]]
    cells += [f"{run['labels_per_second']:.0f}", f"{run['claim_ms']['p95']:.0f} ms"]
    cells += [f"{slowest[path]:.0f} ms" for path in WATCHED]
    return "| " + " | ".join(map(str, [*cells, run["failed"] + sum(run["refused"].values())])) + " |"


def main() -> int:
    """Write bench/results/slow_sockets.json and print the rows."""
    parser = argparse.ArgumentParser(prog="python -m bench.slow_sockets", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short, to see that it works; the result is not kept")
    options = parser.parse_args()
    with fresh_installation() as installation:
        found = measure(installation, quick=options.quick)
    keep("slow_sockets", found, unless=options.quick)
    print("\n".join(row(run) for run in found["runs"]), json.dumps(sum(run["failed"] for run in found["runs"])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
