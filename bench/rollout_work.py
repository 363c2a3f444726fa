"""The part of `python -m bench.rollout_speed` that uses the product's own tables: fill, work, check. Prints JSON."""

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import django

django.setup()

from labeling.actions import source_runs  # noqa: E402  # models can be read only after the set-up
from labeling.configs import RolloutsConfig, SamplingConfig  # noqa: E402
from labeling.formats.normalise import problem_key  # noqa: E402
from labeling.grading import WRONG, Grade, Question  # noqa: E402
from labeling.grading.process_pool import GradingPool  # noqa: E402
from labeling.models import Problem, Project, Score, SourceChunk, SourceRun, Trace  # noqa: E402
from worker import asking, marking_turn, tasks  # noqa: E402
from worker.http import connections, server_client  # noqa: E402

STEPS, N = 10, 8  # prefixes of 0 to 9 steps; the last step's answer is known, so it needs no rollout
EVERY = 0.02  # seconds


class Watched(asking.Room):
    """The requests that this process has in the air now, over all its chunks."""

    now: ClassVar["Watched | None"] = None

    def __init__(self) -> None:
        super().__init__()
        Watched.now = self


class Sent(connections.Connections):
    """Counter of requests that are sent to the last byte and whose answers are not read completely."""

    now: ClassVar[int] = 0
    lock: ClassVar[threading.Lock] = threading.Lock()

    def _note_socket(self, connection: connections.Connection, event: str, about: Mapping[str, Any]) -> None:
        super()._note_socket(connection, event, about)
        change = {"send_request_body.complete": 1, "response_closed.complete": -1}.get(event.rpartition("http11.")[2])
        if change:
            with Sent.lock:
                Sent.now += change


def watch() -> None:
    """Record, until the process ends, how many requests are asked and not answered, are waiting, and are sent."""
    with (Path(os.environ["ROLLOUT_SAMPLES"]) / f"asked-{os.getpid()}.txt").open("w", buffering=1) as told:
        while True:
            time.sleep(EVERY)
            if (room := Watched.now) is not None and (lines := list(room.lines)):
                waiting = sum(line.waiting for line in lines)
                told.write(f"{time.monotonic():.3f} {room.in_air} {waiting} {Sent.now}\n")


def fill(traces: int) -> dict[str, int]:
    """Create a project with wrong traces, and a source of rollouts with a queued run."""

    project = Project.objects.create(slug="rollouts", name="Rollouts")
    texts = [f"What is {number} + 1?" for number in range(traces)]
    problems = Problem.objects.bulk_create(
        Problem(project=project, text=text, answer="2", text_hash=problem_key(text)) for text in texts
    )
    steps = [f"Step {place}." for place in range(STEPS)]
    Trace.objects.bulk_create(
        Trace(project=project, problem=one, steps=steps, outcome="wrong", trace_hash=place.to_bytes(32, "big"))
        for place, one in enumerate(problems)
    )
    completer = SamplingConfig("local", "any", "go_on", max_tokens=64)
    source = source_runs.create_source(
        project, by=None, name="everywhere", config=RolloutsConfig(completer, strategy="everywhere", n=N)
    )
    run = source_runs.start_run(project, source, by=None, wake=False)
    return {"run": run.pk, "chunks": run.chunks.count()}


class Timed(GradingPool):
    """Grading pool that measures the wait for grades. With ROLLOUTS_UNGRADED, nothing is graded and all is wrong."""

    seconds_waited: ClassVar[float] = 0.0
    graded: ClassVar[int] = 0
    cpu: ClassVar[float] = 0.0  # seconds of the grading processes and the one that forks them

    def close(self) -> None:
        known = [running.pid for running in (*self._idle, *self._busy.values())]
        Timed.cpu += sum(cpu_of(pid) for pid in [*known, *([self._server.pid] if self._server else [])])
        super().close()

    def grade(self, questions: Iterable[Question]) -> Generator[Grade, None, None]:
        if os.environ.get("ROLLOUTS_UNGRADED"):
            yield from (Grade(WRONG, "not_graded") for _ in questions)
            return
        began = time.monotonic()
        found = list(super().grade(questions))
        Timed.seconds_waited += time.monotonic() - began
        Timed.graded += len(found)
        yield from found


def work(run: int) -> dict[str, float]:
    """Work chunk by chunk, as a message makes a worker do, until none is left; return the time spent on grading."""

    marking_turn.Room = Watched  # type: ignore[misc]
    marking_turn.GradingPool = Timed  # type: ignore[misc]
    server_client.Connections = Sent  # type: ignore[misc]
    threading.Thread(target=watch, daemon=True).start()
    began, used = time.monotonic(), time.process_time()
    chunks = SourceChunk.objects.filter(run=run)
    while waiting := list(chunks.filter(status__in=("queued", "running")).values_list("pk", flat=True)):
        for pk in waiting:
            tasks.mark_traces(pk)
        if chunks.filter(status="running").exists():
            time.sleep(0.5)  # another worker's chunk, or that of a killed one
    return {
        "grading": Timed.seconds_waited,
        "graded": Timed.graded,
        "seconds": time.monotonic() - began,
        "cpu": time.process_time() - used,
        "graders_cpu": Timed.cpu,
    }


def cpu_of(pid: int) -> float:
    """Return the CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def check(run: int, traces: int) -> dict[str, Any]:
    """Check whether anything was lost or done twice."""

    found = SourceRun.objects.get(pk=run)
    scores = list(Score.objects.filter(scorer=found.scorer))
    whole = sum(score.evidence["n"][:STEPS] == [N] * STEPS for score in scores if score.evidence)
    return {
        "status": found.status,
        "marked": len(scores),
        "whole": whole,
        "lost": traces - whole,
        "calls": found.calls,
        "needed": traces * STEPS * N,
    }


if __name__ == "__main__":
    PARTS: dict[str, Callable[..., Any]] = {"fill": fill, "work": work, "check": check}
    print(json.dumps(PARTS[sys.argv[1]](*map(int, sys.argv[2:]))))
