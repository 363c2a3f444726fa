"""Hours of people at work, including the nightly jobs: does anything grow that should not?

`make soak` (`python -m bench.soak --minutes 120`) lets people label over HTTP as the page does, at 20 labels a second,
on the real servers, and runs backup, export, prune and the doctor in turn, one every few minutes. Each minute it
records the memory of every process, connections, the database, logs, and how long claims and submissions took. Writes
bench/results/soak.json, which becomes a section of docs/benchmarks.md (`python -m bench.report`), and says whether the
last third of the run is like the first. Exits with 1 if a job failed. Not part of `make bench`.
"""

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from bench import soak_report
from bench.http_labeling import PASSWORD, session_of, spread
from bench.installation import Installation, fresh_installation
from bench.load import RECORDED
from bench.machine import machine
from bench.progress import say
from bench.report import RESULTS

RATE = 20  # labels a second
PEOPLE = 10
SLICE = 60.0  # seconds
WARM_UP = 1.0
NIGHTLY_EVERY = 3  # slices
CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
SIZE = "SELECT pg_database_size(current_database()), (SELECT count(*) FROM labeling_label WHERE status = 'submitted')"


def nightly(installation: Installation, slug: str, folder: Path) -> list[tuple[str, Callable[[], None]]]:
    """Return the commands that a machine's cron would run, each replacing its previous output."""

    def command(name: str, *arguments: str) -> Callable[[], None]:
        def run() -> None:
            program = installation.local.program(f"soak-{name}", "manage.py", name, *arguments)
            owner = {"DATABASE_URL": installation.local.postgres.url}
            program.env = {**program.env, **owner}
            program.run()

        return run

    return [
        ("backup", command("backup", "--to", str(folder))),
        ("export", command("export_labels", slug, "--output", str(folder / "export"))),
        ("prune", command("prune", "--days", "7")),
        ("doctor", command("doctor")),
    ]


def measure(installation: Installation, minutes: int, rows: list[dict[str, Any]], done: list[dict[str, Any]]) -> None:
    """Add a row for each minute as it passes, so that an interrupted soak keeps its results; also record the jobs."""
    tasks = int(RATE * SLICE * (minutes + 1) * 1.2)
    filled = installation.run("bench.fill", "--tasks", str(tasks), BENCH_PASSWORD=PASSWORD)
    people = [session_of(installation.local.web_port, name) for name in filled["usernames"][:PEOPLE]]
    folder = installation.local.folder / "soak"
    folder.mkdir()
    jobs = nightly(installation, filled["slug"], folder)
    for minute in range(minutes):
        job = jobs[minute // NIGHTLY_EVERY % len(jobs)] if minute % NIGHTLY_EVERY == 0 else None
        with_job = threading.Thread(target=at_night, args=(job, done)) if job else None
        if with_job:
            with_job.start()
        found = work_a_slice(installation, filled["slug"], people)
        if with_job:
            with_job.join()
        rows.append({"minute": minute, "job": job[0] if job else "", **found, **sizes(installation)})
        say(", ".join(f"{name} {value}" for name, value in rows[-1].items()))


def at_night(job: tuple[str, Callable[[], None]], done: list[dict[str, Any]]) -> None:
    """Run one job while people work, and record how it ended."""
    began = time.monotonic()
    try:
        job[1]()
        ended = "done"
    except RuntimeError as fault:  # recorded in the result; the soak continues
        ended = f"failed: {str(fault)[-300:]}"
    done.append({"job": job[0], "seconds": round(time.monotonic() - began, 1), "ended": ended})


def work_a_slice(installation: Installation, slug: str, people: Sequence[list[str]]) -> dict[str, Any]:
    """Have everyone label for a minute; return labels per second, and the 95th percentiles in milliseconds."""
    spec = {
        "port": installation.local.web_port,
        "slug": slug,
        "headers": people,
        "seconds": SLICE - WARM_UP,
        "warm_up": WARM_UP,
        "traffic": json.loads(RECORDED.read_text())["labels"],
        "pace": PEOPLE / RATE,
    }
    path = installation.local.folder / "soak.json"
    path.write_text(json.dumps(spec))
    found = installation.run("bench.load", str(path))
    took = {kind: spread(found["milliseconds"].get(kind) or [float("nan")]) for kind in ("claim", "submit")}
    return {
        "labels_per_second": round(len(found["milliseconds"].get("submit", [])) / found["seconds"], 1),
        **{f"{kind}_p95": round(times["p95"], 1) for kind, times in took.items()},
        "refused": sum(found["refused"].values()),
    }


def sizes(installation: Installation) -> dict[str, Any]:
    """Return the memory of all our processes except Postgres, whose shared pages would count repeatedly, and other
    sizes.
    """
    ours = psutil.Process().children(recursive=True)
    memory = sum(one.memory_info().rss for one in ours if one.is_running() and "postgres" not in one.name())
    with installation.connect() as database:
        [connections] = database.execute(CONNECTIONS).fetchone() or [0]
        size, labels = database.execute(SIZE).fetchone() or (0, 0)
    logs = sum(file.stat().st_size for file in (installation.local.folder / "logs").glob("*") if file.is_file())
    return {
        "memory_mb": round(memory / 2**20),
        "connections": connections,
        "database_mb": round(size / 2**20, 1),
        "labels": labels,
        "logs_mb": round(logs / 2**20, 2),
    }


def main() -> int:
    """Measure, save the result, and print the verdict."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=int, default=120, help="at least 4 (default: 120)")
    minutes = max(4, parser.parse_args().minutes)
    found: dict[str, Any] = {"measured_at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine()}
    found |= {"people": PEOPLE, "rate": RATE, "minutes": [], "jobs": []}
    with fresh_installation() as installation:
        measure(installation, minutes, found["minutes"], found["jobs"])
    (RESULTS / "soak.json").write_text(json.dumps(found, indent=1) + "\n")
    print("\n".join(soak_report.body(found)))
    print("\n".join(faults := soak_report.failed(found)))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
