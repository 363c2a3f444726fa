"""The PRMs with which the replay looks for planted noise: heads on SmolLM2-135M that saw none of those labels.

`python -m bench.replay_prm` creates them once, which takes about ten minutes on two cores; they stay in var/models.
"""

import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotation_app.local.installation import BASE_DIR
from bench import smollm2
from bench.progress import say
from bench.replay_world import SHARED, read_rows
from worker.prm.fit_head import fit_head

Json = dict[str, Any]
SEED = 20
# Half of each source's problems are for the head, along with other files; the rest is for the labels with noise. On
# physics, such a small model sees little beyond position and length; tracking who holds what, it can judge.
LEARNED_WITH = {"mrben_physics": ("prm800k_val",), "bbmistake_tracking_shuffled_objects": ()}
LONGEST = 1200  # characters of problem and steps: what a CPU reads in a second


def halves(rows: Sequence[Json]) -> tuple[list[Json], list[Json]]:
    """Return traces to fit the head on, and traces whose labels it never saw; short ones, with no problem in both."""
    rows = short(rows)
    problems = sorted({row["problem"] for row in rows})
    random.Random(SEED).shuffle(problems)
    learned = set(problems[: len(problems) // 2])
    return [row for row in rows if row["problem"] in learned], [row for row in rows if row["problem"] not in learned]


def folder_of(source: str) -> Path:
    """Return the folder of the PRM for that source."""
    return BASE_DIR / "var" / "models" / f"replay-{source.replace('_', '-')}"


def fitted(source: str) -> Json:
    """Fit the head if it does not exist yet, and return its meta.json."""
    folder = folder_of(source)
    meta = folder / "meta.json"
    if not meta.exists():
        say(f"{source}: fitting a head on what people found in other traces")
        rows = read_rows(SHARED)
        folder.mkdir(parents=True, exist_ok=True)
        data = folder.with_suffix(".jsonl")
        learned, _ = halves(rows[source])
        write(data, [row for name in LEARNED_WITH[source] for row in short(rows[name])] + learned)
        fit_head(smollm2.step_classifier(), folder, [data], cache_folder=BASE_DIR / "var" / "states")
    return dict(json.loads(meta.read_text()))


def short(rows: Sequence[Json]) -> list[Json]:
    """Return the short rows."""
    return [row for row in rows if len(row["problem"]) + sum(map(len, row["steps"])) <= LONGEST]


def write(path: Path, rows: Sequence[Json]) -> None:
    """Write rows as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    for one in LEARNED_WITH:
        say(f"{one}: {json.dumps(fitted(one)['test'])}")
    sys.exit(0)
