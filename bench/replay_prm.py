"""The PRMs by which the replay looks for planted noise: heads on SmolLM2-135M that saw none of those labels.

`python -m bench.replay_prm` makes them: about ten minutes on two cores, once; they stay in var/models.
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
# Half of the problems of each are for the head, beside other files; the others for the labels with noise. On physics so
# small a model sees little more than position and length do; tracking who holds what it can judge.
LEARNED_WITH = {"mrben_physics": ("prm800k_val",), "bbmistake_tracking_shuffled_objects": ()}
LONGEST = 1200  # characters of problem and steps: what a CPU reads in a second


def halves(rows: Sequence[Json]) -> tuple[list[Json], list[Json]]:
    """Traces to fit the head on, and traces whose labels it never saw; short ones, and no problem is in both."""
    rows = short(rows)
    problems = sorted({row["problem"] for row in rows})
    random.Random(SEED).shuffle(problems)
    learned = set(problems[: len(problems) // 2])
    return [row for row in rows if row["problem"] in learned], [row for row in rows if row["problem"] not in learned]


def folder_of(source: str) -> Path:
    """Where the PRM for that source is."""
    return BASE_DIR / "var" / "models" / f"replay-{source.replace('_', '-')}"


def fitted(source: str) -> Json:
    """What the head's meta.json says; it is fitted if it is not there."""
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
    """Those that are read quickly."""
    return [row for row in rows if len(row["problem"]) + sum(map(len, row["steps"])) <= LONGEST]


def write(path: Path, rows: Sequence[Json]) -> None:
    """As JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    for one in LEARNED_WITH:
        say(f"{one}: {json.dumps(fitted(one)['test'])}")
    sys.exit(0)
