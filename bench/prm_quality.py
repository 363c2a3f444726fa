"""How good a PRM trained on real labels becomes, on a CPU: per file of the shared data, on held-out problems.

`python -m bench.prm_quality` trains SmolLM2-135M in up to three ways on each file with human labels: a head on frozen
states; all weights of its lower half; and the same with additional wrong steps that the trainer generates. It writes
the results on the test problems of the split, next to position and length alone, to bench/results/prm_quality.json and
docs/training.md. Earlier results of other files are kept; name files to measure them again.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any

import torch

from bench import smollm2
from bench.active_learning import SHARED
from bench.machine import machine
from bench.markdown import put_between, table
from bench.progress import say
from worker.prm.examples import part_name, part_of
from worker.prm.options import FULL, HEAD, TrainOptions
from worker.prm.train import train

Json = dict[str, Any]
ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "bench/results/prm_quality.json", ROOT / "docs/training.md"
BEGIN, END = "<!-- bench.prm_quality -->\n", "<!-- /bench.prm_quality -->\n"
MODELS = ROOT / "var/models/quality"
LONGEST = 1400  # characters of problem and steps: what a CPU reads in about a second
LAYERS = 16  # of 30: the layers above are not needed to judge a step, and would double the time
WAYS: dict[str, Json] = {
    "head": {"method": HEAD},
    "full": {"method": FULL},
    "full, made wrong steps": {"method": FULL, "synthetic_errors": 1},
}
FULLY: Json = {
    "layers": (LAYERS,),
    "dtype": "bfloat16",
    "batch": 4,
    "tokens": 1024,
    "learning_rate": 1e-4,
    "save_every": 1000,
}
FIGURES = ("auc", "auc_given_position")


def short_rows(name: str, folder: Path) -> tuple[Path, Json]:
    """Write the file's short labeled traces to a new file; return it with the number of traces."""
    rows = [json.loads(line) for line in (SHARED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    labeled = [row for row in rows if row["first_error"] is not None or row["step_labels"]]
    kept = [row for row in labeled if len(row["problem"]) + sum(map(len, row["steps"])) <= LONGEST]
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
    return file, {"traces": len(kept), "left_out": len(labeled) - len(kept), "texts": {row["problem"] for row in kept}}


def measured(name: str, way: str, seed: int, epochs: int) -> Json:
    """Train once, and return the results on the test problems."""
    file, about = short_rows(name, MODELS)
    out = MODELS / f"{name}-{'-'.join(way.replace(',', '').split())}-{seed}"
    options = WAYS[way] | ({} if WAYS[way]["method"] == HEAD else {**FULLY, "epochs": epochs})
    began = time.monotonic()
    meta = train(
        [file],
        out,
        TrainOptions(base=smollm2.convert(smollm2.BASE), seed=seed, cache=MODELS / "states", **options),
        progress=lambda event: say(json.dumps(event)) if event["stage"] == "validate" else None,
    )
    tested = [text for text in about["texts"] if part_name(part_of(text, seed)) == "test"]
    found = {
        "seed": seed,
        "problems": len(tested),
        "test": meta["test"],
        "baseline": meta["test_position_and_length_only"],
        "calibration": meta["calibration"]["after"]["ece"],
        "layer": meta["layer"],
        "minutes": round((time.monotonic() - began) / 60, 1),
    }
    say(f"{name}, {way}, seed {seed}: {json.dumps(found)}")
    return {"traces": about["traces"], "left_out": about["left_out"], "run": found}


def keep(name: str, way: str, found: Json) -> None:
    """Add one run to the results, replacing an earlier one with the same seed."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"files": {}}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    results |= {"measured_at": now, "machine": machine(), "layers": LAYERS, "longest": LONGEST}
    file = results["files"].setdefault(name, {"ways": {}})
    file |= {"traces": found["traces"], "left_out": found["left_out"]}
    others = [run for run in file["ways"].get(way, []) if run["seed"] != found["run"]["seed"]]
    file["ways"][way] = sorted([*others, found["run"]], key=lambda run: run["seed"])
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def page(results: Json) -> list[str]:
    """Return the table of docs/training.md."""
    rows = [
        row(name, way, runs)
        for name, file in sorted(results["files"].items())
        for way, runs in sorted(file["ways"].items())
    ]
    head = ("labels", "way", "seeds", "problems", "steps (wrong)", "step AUC", "given position", "baseline", "minutes")
    machine = f"{results['machine']['cores']} cores of {results['machine']['cpu']}, no GPU"
    return [
        f"Measured {results['measured_at'][:10]}, {machine}; `python -m bench.prm_quality`. SmolLM2-135M. Test "
        "problems of the trainer's own split, on which nothing was trained or chosen. Traces of at most "
        f"{results['longest']:,} characters.",
        "",
        "- *head*: logistic, on frozen states, its layer chosen.",
        f"- *full*: all weights of the lower {results['layers']} of 30 layers in bfloat16.",
        "- *synthetic errors*: one for each right step.",
        "- *baseline*: sees position and length alone. Its AUC, and its AUC given position.",
        "",
        "Figures are means over the seeds (and their range). Problems and steps are those of all seeds together. "
        "Minutes are those of the longest run, on a machine that did other work; states that are on disk are not "
        "read again.",
        "",
        *table(head, rows),
    ]


def row(name: str, way: str, runs: Sequence[Json]) -> tuple[str, ...]:
    """Return the row of one training method on one file."""
    tests = [run["test"] for run in runs if run["test"]]
    plain = [run["baseline"] for run in runs if run["baseline"]]
    if not tests:
        return (name, way, str(len(runs)), "", "", "too few labels", "", "", "")
    steps, wrong = (sum(test[key] for test in tests) for key in ("steps", "wrong"))
    return (
        name,
        way,
        str(len(runs)),
        str(sum(run["problems"] for run in runs)),
        f"{steps:,} ({wrong:,})",
        *(spread([test[figure] for test in tests]) for figure in FIGURES),
        " / ".join(f"{mean(one[figure] for one in plain):.3f}" for figure in FIGURES),
        f"{max(run['minutes'] for run in runs):.0f}",
    )


def spread(values: Sequence[float]) -> str:
    """Format the mean of values with their range."""
    one = f"{mean(values):.3f}"
    return one if len(values) == 1 else f"{one} ({min(values):.3f}–{max(values):.3f})"


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.prm_quality", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", default=["bbmistake_tracking_shuffled_objects"])
    parser.add_argument("--ways", nargs="*", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--seeds", type=int, nargs="*", default=[0])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--write-only", action="store_true", help="the page, from the results that there are")
    asked = parser.parse_args(arguments)
    torch.set_num_threads(asked.threads)
    for name in () if asked.write_only else asked.files:
        for way in asked.ways:
            for seed in asked.seeds:
                keep(name, way, measured(name, way, seed, asked.epochs))
    put_between(PAGE, BEGIN, END, [*page(json.loads(RESULTS.read_text())), ""])
    return 0


if __name__ == "__main__":
    sys.exit(main())
