"""The memory of an idle installation: the demo without its PRM worker and generator.

`python -m bench.idle_memory` starts what `python -m annotation_app.local demo --no-models` starts, lets a labeler log
in and look at a task, waits until the installation is idle, and reads each process's proportional share (PSS: a page
shared by several processes is divided among them). Writes bench/results/idle_memory.json, then docs/benchmarks.md.
Not part of `make bench`.
"""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx
import psutil

from annotation_app.local.installation import BASE_DIR
from bench import report
from bench.installation import PORT
from bench.machine import machine
from bench.progress import say

STATE = BASE_DIR / "var" / f"bench-idle-{PORT}"
UP = 1_800.0  # seconds allowed for the first start
IDLE = 330.0  # seconds, until the clock's sweeps have run and idle connections are closed (WEB_IDLE_SECONDS)
# The name of a process by a word of its command line; the first match counts.
NAMES = {
    "annotation_app.server": "web (2 processes, and the one that minds them)",
    "worker --queues cpu": "worker for the cpu queue, with the clock (2 at a time)",
    "postgres": "Postgres",
    "valkey": "Valkey",
    "annotation_app.local": "launcher",
}


@contextmanager
def idle_demo() -> Iterator[psutil.Process]:
    """Start a demo without models and yield its launcher; stop it and remove its files at the end."""
    shutil.rmtree(STATE, ignore_errors=True)
    STATE.mkdir(parents=True)
    command = [sys.executable, "-m", "annotation_app.local", "demo", "--no-models", "--port", str(PORT)]
    with (STATE / "launcher.log").open("w") as log:
        launcher = subprocess.Popen([*command, "--state", STATE.name], cwd=BASE_DIR, stdout=log, stderr=log)
    try:
        wait_until_up(launcher)
        yield psutil.Process(launcher.pid)
    finally:
        launcher.terminate()
        launcher.wait(60)
    shutil.rmtree(STATE, ignore_errors=True)


def wait_until_up(launcher: subprocess.Popen[bytes]) -> None:
    """Wait until the launcher reports that the demo is up. Raises RuntimeError with the launcher's log."""
    deadline = time.monotonic() + UP
    log = STATE / "launcher.log"
    while "is up:" not in log.read_text():
        if launcher.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"The demo did not come up:\n{log.read_text()}")
        time.sleep(0.2)


def look_around() -> None:
    """Log in as a labeler and claim a task, so that everything that the first request loads is loaded."""
    login = next(one for one in json.loads((STATE / "logins.json").read_text()) if one["role"] == "annotator")
    address = (STATE / "launcher.log").read_text().split("is up:")[1].split()[0].rstrip("/")
    with httpx.Client(base_url=address, timeout=60) as browser:
        browser.get("/api/session").raise_for_status()
        token = {"X-CSRFToken": browser.cookies["csrftoken"]}
        said = {"username": login["username"], "password": login["password"]}
        browser.post("/api/session/login", json=said, headers=token).raise_for_status()
        token = {"X-CSRFToken": browser.cookies["csrftoken"]}
        slug = browser.get("/api/projects").raise_for_status().json()["results"][0]["slug"]
        for _ in range(20):  # a new connection each time, so that both web processes get some
            browser.get(f"/api/projects/{slug}/my_progress", headers={"Connection": "close"}).raise_for_status()
        browser.post(f"/api/projects/{slug}/labels/claim", json={}, headers=token).raise_for_status()


def shares(launcher: psutil.Process) -> dict[str, float]:
    """Return MB (10^6 bytes) by name: proportional shares of the launcher and all its descendants."""
    found = dict.fromkeys(NAMES.values(), 0.0)
    for process in [launcher, *launcher.children(recursive=True)]:
        command = " ".join(process.cmdline()) or process.name()
        name = next((name for word, name in NAMES.items() if word in command), command[:60])
        found[name] = found.get(name, 0.0) + proportional_share(process.pid) / 1e6
    return {name: round(share, 1) for name, share in found.items()}


def others(launcher: psutil.Process) -> int:
    """Count the processes of other installations with the same Python. They share its libraries with our processes,
    which makes our shares smaller.
    """
    ours = {launcher.pid, *(process.pid for process in launcher.children(recursive=True)), psutil.Process().pid}
    running = psutil.process_iter(["exe"])
    return sum(one.info["exe"] == psutil.Process().exe() and one.pid not in ours for one in running)


def proportional_share(pid: int) -> int:
    """Return a process's proportional share in bytes."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024


def main() -> int:
    """Measure, save the result, and write the page."""
    with idle_demo() as launcher:
        say("the demo is up")
        look_around()
        time.sleep(IDLE)
        found = {"idle_seconds": IDLE, "mb": shares(launcher), "others": others(launcher)}
    about = {"measured_at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine()}
    (report.RESULTS / "idle_memory.json").write_text(json.dumps({**about, **found}, indent=1) + "\n")
    say(json.dumps(found))
    report.write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
