"""`python -m bench`: measure everything; `… http import page`: only these parts; `… --quick`: a small trial run."""

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from bench import (
    agreement,
    grading,
    http_labeling,
    import_export,
    imported_scores,
    large_project,
    long_run,
    page,
    report,
    selection,
)
from bench.installation import fresh_installation
from bench.machine import machine
from bench.progress import say

PARTS = {
    "http": http_labeling.measure,
    "import": import_export.measure_imports,
    "export": import_export.measure_exports,
    "imported_scores": imported_scores.measure,
    "page": page.measure,
    "long_run": long_run.measure,
    "selection": selection.measure,
    "agreement": agreement.measure,
    "large_project": large_project.measure,
}
WITHOUT_SERVERS = {"grading": grading.measure}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write bench/results/NAME.json for each part, then docs/benchmarks.md from all existing results."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, *WITHOUT_SERVERS, []], help="default: all")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works; results are not kept")
    options = parser.parse_args(arguments)
    asked = options.parts or [*PARTS, *WITHOUT_SERVERS]
    for name in asked:
        if name in WITHOUT_SERVERS:
            keep(name, WITHOUT_SERVERS[name](quick=options.quick), unless=options.quick)
    if set(asked) & set(PARTS):
        with fresh_installation() as installation:
            say("the servers are up")
            for name in asked:
                if name in PARTS:
                    keep(name, PARTS[name](installation, quick=options.quick), unless=options.quick)
    if not options.quick:
        report.write()
        say(f"written: {report.PAGE}")
    return 0


def keep(name: str, found: dict[str, Any], *, unless: bool) -> None:
    """Save a result with the time and the machine of the measurement, unless `unless` is true."""
    if unless:
        return
    result = {"measured_at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine(), **found}
    path = report.RESULTS / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
