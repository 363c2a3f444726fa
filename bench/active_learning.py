"""Prepared rounds over real traces with a PRM trained on real labels: `python -m bench.active_learning`.

Fits a head on SmolLM2-135M's states from human ratings of other problems, registers it, and lets the real workers use
it on files of ../shared/data. Writes bench/results/active_learning.json and the figures of docs/active-learning.md.
"""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotation_app.local.installation import BASE_DIR
from bench import active_learning_report, smollm2
from bench.__main__ import keep
from bench.active_learning_report import RESULT
from bench.installation import Installation, fresh_installation
from bench.progress import say
from worker.prm.fit_head import fit_head
from worker.prm.kernels import has_bfloat16

SHARED = Path(os.environ.get("STEPMARK_SHARED_DATA", BASE_DIR.parent / "shared" / "data"))
MODELS = BASE_DIR / "var" / "models"
FITTED = "smollm2-fitted"
RATED = ("prm800k_val",)
RULES = {"mode": "per_problem", "ratio": 0.8, "control_share": 0.1}
ROUNDS: dict[str, dict[str, Any]] = {
    "gsm8k_openai": {"answers": "maths", "label": False, "rules": {**RULES, "k": 2}},
    "tot_game24": {"answers": "maths", "label": False, "rules": {**RULES, "k": 8}},
    "mrben_physics": {"answers": "choice", "label": True, "rules": {**RULES, "mode": "global", "k": 200}},
}


def fitted_prm() -> dict[str, Any]:
    """Fit the PRM in MODELS if it does not exist yet, and return its meta.json."""
    meta = MODELS / FITTED / "meta.json"
    if not meta.exists():
        say("fitting a head on human ratings")
        data = [SHARED / f"{name}.jsonl" for name in RATED]
        fit_head(smollm2.step_classifier(), meta.parent, data, cache_folder=BASE_DIR / "var" / "states")
    return dict(json.loads(meta.read_text()))


def measure(names: Sequence[str]) -> None:
    """Run one round per file, one after another, in one fresh installation, and write the results after each. Earlier
    results for other files are kept if they come from the same PRM.
    """
    meta = fitted_prm()
    dtype = "bfloat16" if has_bfloat16() else "float32"
    record = {"family": "step_classifier", "path": FITTED, "aggregation": "product", "dtype": dtype}
    before = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    done = {one["file"]: one for one in before.get("rounds", ()) if same(before["prm"], meta)}
    with fresh_installation() as installation:
        shutil.copytree(MODELS / FITTED, installation.local.models / FITTED)
        for name in names:
            say(f"a round over {name}")
            done[name] = one_round(installation, name, record) | {"dtype": dtype}
            keep("active_learning", {"prm": meta, "rounds": list(done.values())}, unless=False)
            active_learning_report.write()


def same(left: dict[str, Any], right: dict[str, Any]) -> bool:
    """Return whether two heads were fitted on the same states of the same labels; timings may differ."""
    return all(left[key] == right[key] for key in ("base_checksum", "data", "layer", "l2"))


def one_round(installation: Installation, name: str, record: dict[str, str]) -> dict[str, Any]:
    """Run a round over one file in a separate process."""
    file = str(SHARED / f"{name}.jsonl")
    return dict(installation.run("bench.one_round", file, json.dumps(record), json.dumps(ROUNDS[name])))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the named files and write the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.active_learning", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", choices=[*ROUNDS, []], help="default: all")
    options = parser.parse_args(arguments)
    measure(options.files or list(ROUNDS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
