"""`make coverage`: print the share of branches that tests take; fail if it is too low in code that must be right."""

import json
import sys
from pathlib import Path
from typing import Any

# Every write, and the meaning of a label. A branch here that no test takes could lose or distort a label unnoticed.
WATCHED = ("labeling/actions/", "labeling/protocol/")
FLOOR_PERCENT = 90


def taken_percent(summary: dict[str, Any]) -> float:
    """Return the share of branches taken, in percent; 100 if there are none."""
    return 100 * summary["covered_branches"] / summary["num_branches"] if summary["num_branches"] else 100.0


def main(path: Path) -> int:
    """Print the total and the watched modules below the floor. Return 1 if there are any."""
    report = json.loads(path.read_text())
    total = report["totals"]
    print(f"Lines: {total['percent_statements_covered']:.1f} %. Branches: {taken_percent(total):.1f} %.")
    shares = {name: taken_percent(module["summary"]) for name, module in report["files"].items()}
    low = {name: share for name, share in shares.items() if name.startswith(WATCHED) and share < FLOOR_PERCENT}
    for name, share in sorted(low.items(), key=lambda item: item[1]):
        print(f"  {share:5.1f} % of the branches  {name}")
    if low:
        print(f"{len(low)} modules are under {FLOOR_PERCENT} %. Where exactly: var/coverage/html/index.html")
    return int(bool(low))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
