"""The figures of docs/active-learning.md, written between two markers; the text around them is written by hand."""

import json
import math
from pathlib import Path
from typing import Any

from bench.markdown import put_between, table

RESULT = Path(__file__).parent / "results" / "active_learning.json"
PAGE = Path(__file__).parent.parent / "docs" / "active-learning.md"
BEGIN = "<!-- figures: written by `python -m bench.active_learning` -->"
END = "<!-- end of figures -->"
ARMS = ("convincing_wrong", "convincing_rest", "control", "random")
Json = dict[str, Any]


def write() -> None:
    """Put the figures between the markers; do nothing without a result."""
    if not RESULT.exists():
        return
    found = json.loads(RESULT.read_text())
    lines = [f"Measured {found['measured_at'][:10]}, {machine(found)}.", "", *prm(found["prm"])]
    for one in found["rounds"]:
        lines += ["", f"### {one['file']}", "", *round_lines(one)]
    put_between(PAGE, BEGIN, END, lines)


def machine(found: Json) -> str:
    """Return the cores and CPU of the machine, as text."""
    of = found["machine"]
    return f"{of['cores']} cores of {of['cpu']}, no GPU"


def prm(meta: Json) -> list[str]:
    """Describe the PRM and how good it is on test problems, which no choice was based on."""
    rows = [
        (name, f"{part['steps']:,}", f"{part['wrong']:,}", figure(part["auc"]), figure(part["auc_given_position"]))
        for name, part in (
            ("the PRM", meta["test"]),
            ("position and length only", meta["test_position_and_length_only"]),
        )
    ]
    files = ", ".join(one["file"] for one in meta["data"])
    return [
        f"The PRM: SmolLM2-135M cut off after layer {meta['layer']} with a logistic head, fitted on the human ratings "
        f"of {files}. Computing the states took {meta['seconds']['states']:,.0f} s; fitting all "
        f"{len(meta['tried'])} candidates took {meta['seconds']['fit']:.0f} s. On test problems:",
        "",
        *table(("", "steps", "wrong", "step AUC", "given position"), rows),
    ]


def round_lines(one: Json) -> list[str]:
    """Describe one round: grading, stages, selection, and what the labels showed."""
    return [
        f"{one['traces']:,} traces of {one['problems']:,} problems, scored in {one.get('dtype', 'float32')}.",
        "",
        *grading(one["grading"]),
        "",
        *stages(one),
        "",
        *selection(one["selection"]),
        *labels(one["report"]),
    ]


def grading(found: Json) -> list[str]:
    """Compare the grader with the outcomes recorded in the file."""
    both = [(before, after, count) for before, after, count in found["pairs"] if "ungraded" not in (before, after)]
    same = sum(count for before, after, count in both if before == after)
    total = sum(count for _before, _after, count in both)
    undecided = sum(count for before, after, count in found["pairs"] if after == "ungraded")
    share = f"{same / total:.2%}" if total else "n/a"
    lines = [f"Grading: {share} of {total:,} outcomes agree with the file; {undecided:,} were left ungraded."]
    if found["differences"]:
        rows = [
            (one["problem"], code(one["truth"]), code(one["found"]), one["recorded"], one["graded"], one["reason"])
            for one in found["differences"]
        ]
        lines += ["", *table(("problem", "truth", "found", "recorded", "graded", "why"), rows)]
    return lines


def stages(one: Json) -> list[str]:
    """Return the stages with their seconds and rates."""
    rows = [
        (
            stage["stage"],
            f"{stage['chunks']:,}",
            f"{stage['done']:,}",
            f"{stage['seconds']:,.1f}",
            f"{stage['done'] / stage['seconds']:,.1f}" if stage["seconds"] and stage["done"] else "–",
        )
        for stage in one["stages"]
        if stage["chunks"]
    ]
    unscored = sum(one["scores"]["unscored"].values())
    said = "; ".join(f"{reason} ({count:,})" for reason, count in one["scores"]["unscored"].items())
    return [
        *table(("stage", "chunks", "traces", "seconds", "traces/s"), rows),
        "",
        f"{one['scores']['scored']:,} traces scored, {unscored:,} unscored{': ' + said if said else ''}.",
    ]


def selection(found: Json) -> list[str]:
    """Describe what was chosen and how its scores compare."""
    chosen = ", ".join(f"{count:,} {arm.replace('_', ' ')}" for arm, count in found["chosen"].items() if count)
    dropped = ", ".join(f"{count:,} {why.replace('_', ' ')}" for why, count in found["dropped"].items() if count)
    rows = [(name, log_score(found["median"].get(name))) for name in ("selected", "control", "pool")]
    return [
        f"Selected: {chosen}. Left out: {dropped or 'nothing'}. Short of the quota: {found['shortfall']:,}.",
        "",
        *table(("median score of", "log of the product of P(step correct)"), rows),
    ]


def labels(report: Json) -> list[str]:
    """Return the yield by arm and how well the PRM located errors, if anything was labeled."""
    if not report["labels"]["submitted"]:
        return []
    yields = [
        (arm.replace("_", " "), f"{part['n']:,}", f"{part['found']:,}", figure(part["share"]), interval(part))
        for arm, part in report["yield"].items()
        if arm in ARMS and part["n"]
    ]
    misses, where, alarms = report["prm_misses"], report["localisation"], report["false_alarms"]
    return [
        "",
        f"Labels: {report['labels']['submitted']:,}. Each is the human verdict that the file records for the trace. "
        "Wrong-answer traces in which humans found an error:",
        "",
        *table(("arm", "tasks", "found", "yield", "95 %"), yields),
        "",
        f"- The grader's false alarms: {alarms['n']:,} of {alarms['of']:,}.",
        f"- First errors where the PRM gave P > 0.5: {misses['n']:,} of {misses['of']:,}.",
        f"- Share of the {where['n']:,} first errors that the PRM's first low step finds: {figure(where['exact'])}; "
        f"within one step: {figure(where['within_1'])}.",
    ]


def code(text: str | None) -> str:
    """Return text from a file as inline code, shortened to fit one table cell."""
    return "–" if text is None else "`" + text.replace("|", "\\|").replace("`", "'").replace("\n", " ")[:60] + "`"


def figure(value: float | None) -> str:
    """Format a value with three decimal places."""
    return "n/a" if value is None else f"{value:.3f}"


def interval(part: Json) -> str:
    """Format a Wilson interval."""
    return "n/a" if part["low"] is None else f"{part['low']:.2f}–{part['high']:.2f}"


def log_score(value: float | None) -> str:
    """Format a log score with the probability that it represents."""
    return "n/a" if value is None else f"{value:.2f} (P = {math.exp(value):.3g})"


if __name__ == "__main__":
    write()
