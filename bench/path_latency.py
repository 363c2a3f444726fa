"""Time from submitting a path's step to the next step's first completion: `python -m bench.path_latency`.

Measured with the demo's own model, and with a server that takes two seconds per answer. A labeler who rates the first
completion +1 has read it for some seconds, during which the completion after it was requested. A step that the labeler
writes cannot be predicted.
"""

import argparse
import json
import statistics
import sys
from threading import Thread
from typing import Any

from annotation_app.local.installation import GENERATOR, GENERATOR_MODEL, LocalInstallation
from annotation_app.local.supervisor import Supervisor
from bench.__main__ import keep
from bench.installation import fresh_installation
from bench.progress import say
from worker.tests.generation.chat_server import ChatServer

STEPS, READING = 4, 8.0
SLOW = 2.0  # seconds
TWO_SECONDS = "A server of 2 s"


def main() -> int:
    """Measure with both generators, and save the result."""
    parser = argparse.ArgumentParser(prog="python -m bench.path_latency", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two steps, to see that it works; the result is not kept")
    quick = parser.parse_args().quick
    server = slow_server()
    steps = "2" if quick else str(STEPS)

    def add_generators(installation: LocalInstallation, supervisor: Supervisor) -> None:
        generators: dict[str, Any] = {TWO_SECONDS: {"url": server.url, "models": ["slow"]}}
        if installation.can_generate:
            supervisor.start(installation.add_generator())
        installation.more_settings["GENERATORS"] = json.dumps({**installation.generators, **generators})

    found: dict[str, Any] = {"steps": int(steps), "reading_s": READING, "runs": []}
    with fresh_installation(add_generators) as installation:
        for name, model in ((TWO_SECONDS, "slow"), (GENERATOR, GENERATOR_MODEL)):
            if name == GENERATOR and not installation.local.can_generate:
                continue
            waits = installation.run("bench.one_path", name, model, steps, str(READING))
            found["runs"] += [run_of(name, kind, values) for kind, values in waits.items()]
            say(f"paths: {name}: {found['runs'][-2:]}")
    keep("path_latency", found, unless=quick)
    server.shutdown()
    return 0


def run_of(name: str, kind: str, waits: list[float]) -> dict[str, Any]:
    """Return the result of one path: the wait for the first step, and the waits after a submission."""
    first, *after = waits
    return {
        "generator": name,
        "step": kind,
        "first_s": round(first, 2),
        "median_s": round(statistics.median(after), 2) if after else None,
        "worst_s": round(max(after), 2) if after else None,
    }


def slow_server() -> ChatServer:
    """Answers each request after two seconds, however many are concurrent."""
    server = ChatServer(lambda prompt, seed: (f"I add {seed % 97} to both sides.", "stop"))
    server.delay = SLOW
    Thread(target=server.serve_forever, daemon=True).start()
    return server


if __name__ == "__main__":
    sys.exit(main())
