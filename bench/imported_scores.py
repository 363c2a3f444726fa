"""Import of external scores: rows per second and memory, compared with a plain COPY of the same numbers."""

import json
import random
from pathlib import Path
from typing import Any

from bench.import_export import one_import, write_traces
from bench.installation import Installation
from bench.progress import say

SIZES = (100_000, 1_000_000)
QUICK = (5_000, 20_000)


def measure(installation: Installation, *, quick: bool = False) -> dict[str, Any]:
    """Measure two sizes, so that the memory of the larger can be compared with that of the smaller."""
    return {"scores": [one_size(installation, size) for size in (QUICK if quick else SIZES)]}


def one_size(installation: Installation, traces: int) -> dict[str, Any]:
    """Import traces into their own project, then their scores twice: first as new, then as already known."""
    file = installation.local.folder / "rows.jsonl"
    write_traces(file, traces)
    slug = f"import-scored-{traces}"
    one_import(installation, f"scored_{traces}", file)
    rows = int(installation.run("bench.one_job", "scores_file", slug, str(file))["rows"])
    plain = installation.run("bench.one_job", "plain_copy", slug, str(file))["seconds"]
    new, known = (installation.run("bench.one_job", "scores", slug, str(file)) for _ in range(2))
    file.unlink()
    found = {"rows": rows, "plain_copy_seconds": plain, "ratio": new["seconds"] / plain, "new": new, "known": known}
    rate = f"{rows / new['seconds']:,.0f} a second, {found['ratio']:.1f} times a plain COPY"
    say(f"scores: {rows:,} new at {rate}, {new['rss_mb']:.0f} MB; known in {known['seconds']:.1f} s")
    return found


def write_scores(file: Path, traces: Any) -> int:
    """Write a row of scores for each (id, number of steps); return the number of rows."""
    chance, count = random.Random(20261123), 0
    with file.open("w") as out:
        for trace_id, steps in traces:
            scores = [chance.random() for _ in range(steps)]
            out.write(json.dumps({"trace_id": trace_id, "scores": scores}) + "\n")
            count += 1
    return count
