"""README.md of a trained checkpoint: what it is, how it was made, how good it is, and how to run it."""

from typing import Any

USE = """\
```python
import torch
from transformers import AutoModelForTokenClassification, AutoTokenizer

model = AutoModelForTokenClassification.from_pretrained("FOLDER")
tokenizer = AutoTokenizer.from_pretrained("FOLDER")

def tokens(text):
    return tokenizer(text, add_special_tokens=False).input_ids

problem, steps = "How many?", ["48 / 2 = 24.", "So 48 + 24 = 72."]
ids = [tokenizer.bos_token_id] if tokenizer.bos_token_id is not None else []
ids, ends = ids + tokens(problem), []
for step in steps:  # tokenized apart: the joined text would merge a separator with its neighbours
    ids += tokens(step) + tokens(SEPARATOR)
    ends.append(len(ids) - 1)
with torch.no_grad():
    probabilities = model(input_ids=torch.tensor([ids])).logits[0, ends].softmax(-1)
print(RIGHT)  # P(right) of each step
```"""


OWN_USE = """\
Stepmark loads it: `python -m worker.prm.score MODEL.json TRACES.jsonl OUT.jsonl`, or as a registered PRM. Plain
transformers loads the language model without the head, which is `head.weight` and `head.bias` in model.safetensors;
`worker/prm/step_readings.py` says what they read."""


def model_card(meta: dict[str, Any]) -> str:
    """Return Markdown with the YAML header that model hubs read."""
    orm = meta["target"] == "outcome"
    kind = "outcome reward model" if orm else "process reward model"
    stacked = meta["family"] == "stacked_head"
    loaded = [] if stacked else ["library_name: transformers", "pipeline_tag: token-classification"]
    lines = ["---", *loaded, "tags:"]
    lines += [f"- {kind.replace(' ', '-')}", "- stepmark", "---", "", f"# A {kind} on {meta['base']}", ""]
    reads = "whether the final answer will be right" if orm else "whether each step is right"
    if stacked:
        lines += [
            f"A frozen language model and a linear head on several of its layers and its predictions: it says {reads}.",
            "",
        ]
    else:
        lines += [f"A token classifier with the labels {', '.join(meta['labels'])}: it says {reads}.", ""]
    if meta["beats_baseline"] is not True:
        lines += [f"**{verdict(meta['beats_baseline'])}**", ""]
    lines += ["## How good it is", "", *metrics_table(meta), "", *calibrated(meta), ""]
    lines += ["## How it was made", "", *made(meta), "", "## Roles", ""]
    lines += [f"- {name.replace('_', ' ')}: {said}" for name, said in meta["roles"].items()]
    lines += ["", "## Statements", ""]
    lines += [f"- {name.replace('_', ' ')}: {said}" for name, said in meta["statements"].items()]
    right = "probabilities[:, 1:].sum(-1)" if len(meta["labels"]) == 3 else "probabilities[:, 1]"
    plain = USE.replace("SEPARATOR", ascii(meta["separator"])).replace("RIGHT", right)
    use = OWN_USE if stacked else plain
    return "\n".join([*lines, "", "## Use", "", use, ""])


def verdict(beats: bool | None) -> str:
    """Return the warning for a model that has not shown that it reads the text."""
    if beats is None:
        return "Too few labels to measure it: it is not known yet whether it is better than position and length alone."
    return "It does not beat a classifier that sees only the position and length of a step: do not rely on it."


def metrics_table(meta: dict[str, Any]) -> list[str]:
    """Return the rows for each part of the split, next to its baseline."""
    lines = ["| part | AUC | AUC given position | position and length alone | given position | steps | wrong |"]
    lines.append("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for part in ("validation", "test"):
        found, base = meta[part], meta[f"{part}_position_and_length_only"] or {}
        if found:
            cells = [shown(one.get(name)) for one in (found, base) for name in ("auc", "auc_given_position")]
            lines.append(f"| {part} | {' | '.join(cells)} | {found['steps']} | {found['wrong']} |")
    return lines + [
        "",
        "Parts are split by problem. Later steps are worse: *given position* compares steps at the same position.",
    ]


def calibrated(meta: dict[str, Any]) -> list[str]:
    """Return the temperature and its effect."""
    found = meta["calibration"]
    if not found:
        return ["Not calibrated: too few labels."]
    before, after = found["before"], found["after"]
    stacked = meta["family"] == "stacked_head"
    platt = f" and shift {found['shift']:.3f} (Platt)" if stacked else ""
    scaled = f"Temperature {found['temperature']:.3f}{platt}"
    return [
        f"{scaled} (already in the head), fitted on {found['fitted_on']}. On "
        f"{found['measured_on']}: calibration error {before['ece']:.3f} before, {after['ece']:.3f} after; Brier score "
        f"{before['brier']:.3f} and {after['brier']:.3f}."
    ]


def made(meta: dict[str, Any]) -> list[str]:
    """Return base, data, switches and seed."""
    data = [f"- data: {one['file']}, {one['rows']} rows, SHA-256 {one['sha256']}" for one in meta["data"]]
    lineage = [
        f"- {name}: {said}" for name, said in meta["lineage"].items() if name not in ("roles", "statements") and said
    ]
    observed = meta["record"].get("observed")
    seen = f"- agents' runs: each step is read with what was seen before it, {observed} characters of each item"
    return [
        f"- base: {meta['base']}, SHA-256 {meta['base_checksum']}",
        f"- method: {meta['method']}; target: {meta['target']}; a neutral step: {meta['neutral']}; seed {meta['seed']}",
        *([seen] if observed else []),
        *data,
        *lineage,
        *[f"- note: {note}" for note in meta["notes"]],
        f"- code: {meta['code']}",
    ]


def shown(value: float | None) -> str:
    """Return three decimals, or n/a."""
    return "n/a" if value is None else f"{value:.3f}"
