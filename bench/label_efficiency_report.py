"""The label efficiency study in docs/active-learning.md, between two markers, and its pictures."""

import json
from pathlib import Path
from typing import Any

from bench.active_learning_report import machine
from bench.line_chart import Curve, Panel, picture
from bench.markdown import put_between, table
from bench.savings import learners_apart

ROOT = Path(__file__).parent.parent
RESULT = Path(__file__).parent / "results" / "label_efficiency.json"
PAGE = ROOT / "docs" / "active-learning.md"
PICTURES = ROOT / "docs" / "pictures"
BEGIN = "<!-- label efficiency: written by `python -m bench.label_efficiency` -->"
END = "<!-- end of label efficiency -->"
NAMES = {
    "random": "random",
    "convincing_wrong": "convincing wrong 80/20",
    "unsure_trace": "unsure of the trace",
    "unsure_steps": "unsure of its steps",
    "typical": "typical traces",
}
LEARNERS = {"head": "the head on one layer", "stacked": "the stacked head"}
FIGURES = {
    "auc": "step AUC",
    "auc_given_position": "given position",
    "first_error_accuracy": "first-error accuracy",
    "processbench_f1": "ProcessBench F1",
}
BASELINE, BASELINE_COLOUR = "position and length only", 5
Json = dict[str, Any]


def write() -> None:
    """Put the figures between the markers and the pictures next to the page; do nothing without a result."""
    if not RESULT.exists():
        return
    found = json.loads(RESULT.read_text())
    lines = []
    for name, learners in found["pools"].items():
        lines += [f"### {name}", "", about(next(iter(learners.values()))), ""]
        for learner, pool in learners.items():
            draw(name, learner, pool)
            lines += [*pool_lines(name, learner, pool), ""]
        lines += beside(learners)
    put_between(PAGE, BEGIN, END, lines[:-1])


def about(pool: Json) -> str:
    """Describe the traces of a pool, which are the same for every learner."""
    dropped = "; ".join(f"{many:,} ({why})" for why, many in pool["left_out"].items()) or "none"
    return (
        f"{pool['traces']:,} traces of {pool['problems']:,} problems ({', '.join(pool['files'])}), {pool['steps']:,} "
        f"judged steps. Humans found an error in {pool['errors']:,} traces, including "
        f"{pool['errors_in_wrong_answers']:,} of the {pool['wrong_answers']:,} with a wrong answer. "
        f"Left out: {dropped}."
    )


def file_of(name: str, learner: str) -> str:
    """Return the name of the picture's file."""
    return f"label-efficiency-{name}{'' if learner == 'head' else f'-{learner}'}.svg"


def draw(name: str, learner: str, pool: Json) -> None:
    """Draw the curves of a pool with one learner."""
    last = pool["curves"]["convincing_wrong"][-1]["labels"]
    panels = [
        Panel(
            f"{FIGURES[figure]}, held-out problems",
            "labels",
            [*curves(pool, figure, last), baseline(pool, figure, last)],
        )
        for figure in ("auc", "first_error_accuracy")
    ]
    panels.append(Panel("errors found per label of a round", "labels before the round", yields(pool, last)))
    said = f"Curves of {name} with {LEARNERS[learner]}; the tables beside this picture hold the same figures."
    (PICTURES / file_of(name, learner)).write_text(picture(panels, said))


def curves(pool: Json, figure: str, last: int) -> list[Curve]:
    """Return one curve per method, up to the budget that all of them reach."""
    return [
        Curve(NAMES[name], colour, [(one["labels"], *ends(one[figure])) for one in points if one["labels"] <= last])
        for colour, (name, points) in enumerate(pool["curves"].items())
    ]


def yields(pool: Json, last: int) -> list[Curve]:
    """Return the errors found per label in each round, as curves."""
    return [
        Curve(
            NAMES[name],
            colour,
            [(one["after"], *ends(one["errors_per_label"])) for one in parts if one["after"] < last],
        )
        for colour, (name, parts) in enumerate(pool["rounds"].items())
    ]


def baseline(pool: Json, figure: str, last: int) -> Curve:
    """Return the baseline as a horizontal line."""
    first = pool["curves"]["random"][0]["labels"]
    level = pool["position_and_length_only"][figure]["mean"]
    return Curve(BASELINE, BASELINE_COLOUR, [(x, level, level, level) for x in (first, last)], dashed=True)


def ends(one: Json) -> tuple[float, float, float]:
    """Return mean, low and high."""
    return one["mean"], one["low"], one["high"]


def pool_lines(name: str, learner: str, pool: Json) -> list[str]:
    """Return all lines about one pool with one learner."""
    last = pool["curves"]["convincing_wrong"][-1]["labels"]
    rounds = len(pool["rounds"]["convincing_wrong"])
    return [
        f"#### {name}, {LEARNERS[learner]}",
        "",
        f"Measured {pool['measured_at'][:10]}, {machine(pool)}; {pool['seeds']} seeds; {rounds} rounds after the first "
        f"{pool['curves']['random'][0]['labels']} labels, up to {last}.",
        "",
        f"![Step AUC, first-error accuracy and errors found per label](pictures/{file_of(name, learner)})",
        "",
        *table(("at the last budget", *FIGURES.values(), "steps read"), levels(pool, last)),
        "",
        *table(
            (
                "gain over random",
                *(f"{FIGURES[one]}, {when}" for one in ("auc", "first_error_accuracy") for when in WHEN),
            ),
            gains(pool),
        ),
        "",
        *table(
            (
                "a round's labels",
                "yield of wrong answers",
                "errors per label",
                "PRM's misses per label",
                "steps per label",
            ),
            rounds_rows(pool, last),
        ),
        "",
        *savings(pool),
    ]


WHEN = ("last", "mean of all budgets")


def levels(pool: Json, last: int) -> list[tuple[str, ...]]:
    """Return each method at the same number of labels, random at its largest budget, and the baseline."""
    rows = []
    for name, points in pool["curves"].items():
        point = next(one for one in points if one["labels"] == last)
        rows.append(
            (f"{NAMES[name]}, {last} labels", *(interval(point[one]) for one in FIGURES), f"{point['steps']:,.0f}")
        )
    most = pool["curves"]["random"][-1]
    rows.append(
        (f"random, {most['labels']} labels", *(interval(most[one]) for one in FIGURES), f"{most['steps']:,.0f}")
    )
    level = pool["position_and_length_only"]
    return [*rows, (f"{BASELINE}, {most['labels']} labels", *(interval(level[one]) for one in FIGURES), "–")]


def gains(pool: Json) -> list[tuple[str, ...]]:
    """Return paired differences from random choice."""
    return [
        (
            NAMES[name],
            *(
                interval(against[figure][when], sign=True)
                for figure in ("auc", "first_error_accuracy")
                for when in ("gain", "mean_gain")
            ),
        )
        for name, against in pool["against_random"].items()
    ]


def rounds_rows(pool: Json, last: int) -> list[tuple[str, ...]]:
    """Return means over the rounds that all methods had."""
    rows = []
    for name, parts in pool["rounds"].items():
        here = [one for one in parts if one["after"] < last]
        shares = [
            sum(one[kind]["mean"] for one in here) / len(here)
            for kind in ("yield", "errors_per_label", "misses_per_label", "steps_per_label")
        ]
        rows.append((NAMES[name], *(f"{share:.2f}" for share in shares)))
    return rows


def savings(pool: Json) -> list[str]:
    """Return the ratio as defined in the paper."""
    lines = []
    for name, against in pool["against_random"].items():
        said = "; ".join(
            f"{FIGURES[one]} {ratio(against[one]['times_the_labels'])}" for one in ("auc", "processbench_f1")
        )
        lines.append(f"- {NAMES[name]}: {said}")
    return [
        "To equal a way of choosing at its last budget, random choice needs this many times its labels "
        "(the curve of random choice is taken as never falling):",
        "",
        *lines,
    ]


def beside(learners: Json) -> list[str]:
    """Compare the stacked head with the head on one layer, both trained on the same random labels."""
    head, stacked = (learners.get(one, {}) for one in LEARNERS)
    if "auc_by_seed" not in head or "auc_by_seed" not in stacked or head["seeds"] != stacked["seeds"]:
        return []
    budgets = [one["labels"] for one in head["curves"]["random"]]
    found = learners_apart(head["auc_by_seed"]["random"], stacked["auc_by_seed"]["random"], budgets)
    rows = [
        (
            str(one["labels"]),
            *(f"{one[name]:.3f}" for name in LEARNERS),
            interval(one["gain"], sign=True),
            ratio(one["times"]),
        )
        for one in found
    ]
    return [
        "The two learners on the same random labels: step AUC, the gain of the stacked head (paired by seed), and how "
        "many times as many labels the head on one layer needs for the same step AUC:",
        "",
        *table(("labels", "one layer", "stacked", "gain", "times the labels"), rows),
        "",
    ]


def ratio(found: Json) -> str:
    """Format a ratio with its interval; values beyond the measured curve are marked as over or under."""
    ends = [
        f"over {found['at_most']:.1f}"
        if value is None
        else f"under {value:.2f}"
        if value <= found["at_least"]
        else f"{value:.2f}"
        for value in (found["ratio"], found["low"], found["high"])
    ]
    return f"{ends[0]}x ({ends[1]} to {ends[2]})"


def interval(one: Json, *, sign: bool = False) -> str:
    """Format a mean and its interval with three decimal places."""
    plus = "+" if sign else ""
    return f"{one['mean']:{plus}.3f} ({one['low']:{plus}.3f} to {one['high']:{plus}.3f})"


if __name__ == "__main__":
    write()
