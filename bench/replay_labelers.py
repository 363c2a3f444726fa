"""Simulated labelers over real traces, through the real servers: `python -m bench.replay_labelers`.

Simulated people log in, claim and submit over HTTP, on the servers of `make demo`. The truth about a trace is what the
people behind ../shared/data found. Writes bench/results/replay.json and the figures in docs/quality.md.
"""

import argparse
import json
import secrets
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

from bench import replay_label_audit, replay_overlap, replay_quality, replay_report, replay_screening
from bench.installation import fresh_installation
from bench.machine import machine
from bench.progress import say
from bench.replay_world import SHARED, World, read_rows

SEED = 2026
Json = dict[str, Any]
PARTS = ("screening", "standing", "overlap", *replay_label_audit.SOURCES)


def measure(parts: Sequence[str], *, quick: bool, seed: int) -> Iterator[Json]:
    """Run the parts in one fresh installation; yield each when it is done.

    Projects are created one after another, so that a seed always gives the same ids; work that runs concurrently in
    different projects does not interfere.
    """
    rows = read_rows(SHARED)
    yield {"seed": seed, "traces": {name: len(part) for name, part in rows.items()}}
    with fresh_installation() as installation, ThreadPoolExecutor() as threads:
        say("the servers are up")
        world = World(installation, rows, secrets.token_urlsafe(12), seed)
        label_audits = {
            part: replay_label_audit.LabelAudit(world, part, quick=quick)
            for part in replay_label_audit.SOURCES
            if part in parts
        }
        if "screening" in parts:
            yield {"screening": replay_screening.measure(world, quick=quick)}
        overlap = replay_overlap.Overlap(world, quick=quick) if "overlap" in parts else None
        labeling = [threads.submit(overlap.label, design) for design in overlap.designs] if overlap else []
        if "standing" in parts:
            yield {"standing": replay_quality.measure(world, quick=quick)}
        for one in labeling:
            one.result()
        if overlap:
            yield {"overlap": overlap.measure()}
        for part, label_audit in label_audits.items():
            yield {part: label_audit.measure(quick=quick)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.replay_labelers", description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="default: all")
    parser.add_argument("--quick", action="store_true", help="few people, to see that it works; results are not kept")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(arguments)
    path = replay_report.RESULT
    found: Json = json.loads(path.read_text()) if path.exists() and options.parts and not options.quick else {}
    for part in measure(options.parts or PARTS, quick=options.quick, seed=options.seed):
        found |= part
        if not options.quick:
            found |= {"measured_at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine()}
            path.write_text(json.dumps(found, indent=1) + "\n")
            replay_report.write()
    if options.quick:
        print("\n".join(replay_report.lines(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
