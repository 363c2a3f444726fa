"""`python -m bench.rollout_speed`: rollouts from many prefixes on a local server, while workers are killed.

The server is a separate process that answers each request after `--delay` seconds and counts the requests in progress.
No two of its rollouts are alike, and they reach one of four answers. Workers are processes that do what a message makes
a worker do. One of them is killed (SIGKILL) every few seconds. At the end, every trace must have its mark and every
prefix its rollouts, and no trace may have two marks.

A server that answers at once holds almost no requests, whoever asks: the number is its rate times its delay (Little's
law). So both sides report. The server counts the requests that it holds. Workers report, fifty times a second, how many
requests are `asked` (a thread is at each), how many of these are `sent` to the last byte without a complete answer, and
how many wait to be sent: over all the time with both workers at a chunk, and over the part of it in which requests
waited in both (`ready`). `full` is the share of the latter in which at least 200 were asked. The rest is lost to the
thread that takes answers: it waits for grades, or for the database. `short` is the share of all a worker's time in
which it has requests waiting and less than half of the permitted requests in the air: the most by which grading and
writing delay requests. `grading_share` is the share of time that a worker's grading thread spends on questions.
`graders_cpu_share` is the grading processes' share of all CPU time. One run grades nothing at all, so that the rates
can be compared.

Without `--delay`, all servers of the table in docs/machine-labels.md are measured, one after another, and the table is
written.
"""

import argparse
import asyncio
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

from annotation_app.local.installation import BASE_DIR, LocalInstallation
from annotation_app.local.process import free_port
from annotation_app.local.supervisor import Program, Supervisor, stopping_cleanly
from bench import rollout_speed_report
from bench.machine import machine
from bench.progress import say

PREFIXES, N = 10, 8  # per trace, as bench.rollout_work makes them
WORKERS, IN_FLIGHT = 2, 256
KILL_EVERY = 8.0
ENOUGH = 200  # requests asked and not answered, of both workers together
BIN = 0.05  # seconds
# Seconds until the server answers, traces, kills, and whether rollouts are graded.
ROWS = ((0.0, 1_000, 0, True), (0.0, 1_000, 0, False), (0.1, 1_000, 0, True), (2.0, 1_000, 2, True))
TEXT = "Trial {number}: we add the last two numbers.\n\nThat is what was asked.\n\nSo we get\n\n\\boxed{{{answer}}}"


def choice(index: int, number: int) -> dict[str, Any]:
    """Return a rollout as a server sends it."""
    text = TEXT.format(number=number, answer=number % 4)
    return {"index": index, "message": {"content": text}, "finish_reason": "stop"}


class Counter:
    """Number of requests in the air, over time."""

    def __init__(self) -> None:
        self.now = self.most = self.requests = 0
        self.area = 0.0
        self.began = self.last = 0.0

    def step(self, change: int) -> None:
        """Add `change` to the number in the air: one more, or one less."""
        moment = time.monotonic()
        self.began = self.began or moment
        self.area += self.now * (moment - (self.last or moment))
        self.last = moment
        self.now += change
        self.most = max(self.most, self.now)
        self.requests += change > 0

    def told(self) -> dict[str, float]:
        """Return the mean and maximum in the air since the first request, the number of requests, and the seconds."""
        seconds = max(1e-9, self.last - self.began)
        return {
            "mean_in_flight": round(self.area / seconds, 1),
            "most_in_flight": self.most,
            "requests": self.requests,
            "seconds": round(seconds, 1),
        }


async def serve(port: int, delay: float) -> None:
    """Run the server. GET returns its counts."""
    counter = Counter()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(
                    (int(line[15:]) for line in head.lower().split(b"\r\n") if line[:15] == b"content-length:"), 0
                )
                body = json.loads(await reader.readexactly(length)) if length else None
                if body is None:
                    said = json.dumps(counter.told())
                else:
                    counter.step(1)
                    await asyncio.sleep(delay)
                    counter.step(-1)
                    choices = [choice(index, body["seed"] + index) for index in range(body["n"])]
                    usage = {"prompt_tokens": 100, "completion_tokens": 10}
                    said = json.dumps({"choices": choices, "usage": usage})
                kept = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(said)}\r\n\r\n"
                writer.write((kept + said).encode())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", port, backlog=1024) as server:
        await server.serve_forever()


@contextmanager
def database(port: int, settings: dict[str, str]) -> Iterator[LocalInstallation]:
    """Start PostgreSQL with our tables, in its own folder."""
    folder = BASE_DIR / "var" / f"bench-rollouts-{os.getpid()}"
    supervisor = Supervisor()
    with stopping_cleanly(supervisor):
        installation = LocalInstallation(folder, port)
        installation.more_settings.update(settings)
        try:
            supervisor.start(installation.postgres)
            installation.migrate().run()
            yield installation
        finally:
            supervisor.stop_all()
            shutil.rmtree(folder, ignore_errors=True)


def measure(traces: int, delay: float, batch: int, kills: int, *, graded: bool = True) -> dict[str, Any]:
    """Run everything; workers that are killed are started again."""
    server = free_port(8790)
    generator = {"url": f"http://127.0.0.1:{server}/v1", "batch": batch, "in_flight": IN_FLIGHT, "stream": False}
    with database(free_port(8780), {"GENERATORS": json.dumps({"local": generator})}) as installation:

        def part(name: str, *arguments: str, module: str = "rollout_work") -> Program:
            program = installation.program(name, "-m", f"bench.{module}", *arguments)
            owner = {"DATABASE_URL": installation.postgres.url, "DJANGO_SETTINGS_MODULE": "annotation_app.settings"}
            owner["ROLLOUT_SAMPLES"] = str(installation.folder)
            owner["ROLLOUTS_UNGRADED"] = "" if graded else "1"
            program.env = {**program.env, **owner}
            program.log.unlink(missing_ok=True)
            return program

        serving = part("completions", "serve", str(server), str(delay), module="rollout_speed")
        serving.start()
        filled = part("fill", "fill", str(traces))
        filled.run()
        run = str(json.loads(filled.log.read_text().splitlines()[-1])["run"])
        workers = [part(f"rollouts-{number}", "work", run) for number in range(WORKERS)]
        for one in workers:
            one.start()
        killed = _kill_some(workers, kills)
        for one in workers:
            one.wait()
        checked = part("check", "check", run, str(traces))
        checked.run()
        found = json.loads(checked.log.read_text().splitlines()[-1])
        with urlopen(f"http://127.0.0.1:{server}/") as answer:
            counted = json.load(answer)
        serving.stop()
        timed = [json.loads(one.log.read_text().splitlines()[-1]) for one in workers]
        about = {"killed": killed, "graded": graded, "delay": delay, "batch": batch, "in_flight": IN_FLIGHT}
        return {**found, **counted, **asked_of(installation.folder), **shares_of(timed), **about}


def shares_of(timed: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return grading's share of the workers' time, and of the CPU time of the workers and their graders."""
    whole = {key: sum(one[key] for one in timed) for key in timed[0]}
    cpu = whole["cpu"] + whole["graders_cpu"]
    return {
        "grading_share": round(whole["grading"] / whole["seconds"], 4),
        "graders_cpu_share": round(whole["graders_cpu"] / cpu, 4),
        "workers_cpu": round(whole["cpu"], 1),
        "graders_cpu": round(whole["graders_cpu"], 1),
    }


class Sample(NamedTuple):
    """A worker's report at one moment."""

    moment: float
    asked: float
    waiting: float
    sent: float


def asked_of(folder: Path) -> dict[str, float]:
    """Summarise the workers' reports about requests that were asked and not answered."""
    told = [
        [Sample(*map(float, line.split())) for line in file.read_text().splitlines() if line.count(" ") == 3]
        for file in folder.glob("asked-*.txt")
    ]
    bins: dict[int, dict[int, Sample]] = {}
    for worker, samples in enumerate(told):
        for one in samples:
            bins.setdefault(int(one.moment / BIN), {})[worker] = one
    both = [of.values() for of in bins.values() if len(of) == WORKERS]
    ready = [of for of in both if all(one.waiting for one in of)]
    asked = sorted(sum(one.asked for one in of) for of in ready)
    everything = [one for samples in told for one in samples]
    short = sum(one.waiting > 0 and one.asked < IN_FLIGHT / 2 for one in everything)
    return {
        "mean_asked": mean(sum(one.asked for one in of) for of in both),
        "mean_asked_ready": mean(asked),
        "p10_asked_ready": asked[len(asked) // 10] if asked else 0.0,
        "most_asked": max((sum(one.asked for one in of) for of in both), default=0.0),
        "mean_sent_ready": mean(sum(one.sent for one in of) for of in ready),
        "full": round(sum(one >= ENOUGH for one in asked) / max(1, len(asked)), 4),
        "short": round(short / max(1, len(everything)), 4),
        "seconds_at_work": round(sum(at_work(samples) for samples in told), 1),
        "seconds_both": round(len(both) * BIN, 1),
        "seconds_ready": round(len(ready) * BIN, 1),
    }


def at_work(samples: Sequence[Sample]) -> float:
    """Return the seconds in which a worker reported, as it does while it is at a chunk."""
    gaps = (later.moment - one.moment for one, later in pairwise(samples))
    return sum(gap for gap in gaps if gap < 1)


def mean(values: Iterable[float]) -> float:
    """Return the mean to a tenth, or 0 without values."""
    found = list(values)
    return round(sum(found) / max(1, len(found)), 1)


def _kill_some(workers: Sequence[Program], kills: int) -> int:
    for number in range(kills):
        time.sleep(KILL_EVERY)
        one = workers[number % len(workers)]
        if not one.running or one.process is None:
            return number
        os.kill(one.process.pid, signal.SIGKILL)
        one.process.wait()
        say(f"killed a worker ({number + 1} of {kills})")
        one.start()
    return kills


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the table of docs/machine-labels.md, or print one run."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["serve"]:
        asyncio.run(serve(int(given[1]), float(given[2])))
        return 0
    parser = argparse.ArgumentParser(prog="python -m bench.rollout_speed", description=__doc__)
    parser.add_argument("--traces", type=int, default=1_000, help=f"each has {PREFIXES} prefixes of {N} rollouts")
    parser.add_argument("--delay", type=float, help="seconds until the server answers; one run, which is printed")
    parser.add_argument("--batch", type=int, default=8, help="rollouts a request")
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--ungraded", action="store_true", help="grade nothing: all rollouts count as wrong")
    asked = parser.parse_args(given)
    if asked.delay is not None:
        found = measure(asked.traces, asked.delay, asked.batch, asked.kills, graded=not asked.ungraded)
        print(json.dumps(found, indent=1))
        return 0
    runs = []
    for delay, traces, kills, graded in ROWS:
        say(f"a server that answers after {delay:g} s{'' if graded else ', nothing graded'}")
        runs.append(told(delay, traces, asked.batch, kills, graded=graded))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    rollout_speed_report.write({"measured": now, "machine": machine(), "runs": runs})
    return 0


def told(delay: float, traces: int, batch: int, kills: int, *, graded: bool) -> dict[str, Any]:
    """Return a run with its expected counts, and the load of other work before it."""
    load = round(os.getloadavg()[0], 1)
    about = {"traces": traces, "prefixes": PREFIXES, "requests_needed": traces * PREFIXES, "enough": ENOUGH}
    return {**measure(traces, delay, batch, kills, graded=graded), **about, "load_before": load}


if __name__ == "__main__":
    sys.exit(main())
