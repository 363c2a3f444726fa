"""The figures of the replay in docs/quality.md, between two markers; the text around them is written by hand."""

import json
from pathlib import Path
from typing import Any

from bench.markdown import met, table
from bench.replay_screening import GROUPS
from labeling.statistics.intervals import wilson

RESULT = Path(__file__).parent / "results" / "replay.json"
PAGE = Path(__file__).parent.parent / "docs" / "quality.md"
BEGIN = "<!-- figures: written by `python -m bench.replay_labelers` -->"
END = "<!-- end of figures -->"
Json = dict[str, Any]


def write() -> None:
    """Put the figures between the markers."""
    found = json.loads(RESULT.read_text())
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + "\n".join([BEGIN, *lines(found), END]) + after)


def lines(found: Json) -> list[str]:
    """Return all parts that were measured."""
    sources = ", ".join(f"{count:,} of {name}" for name, count in found["traces"].items())
    text = [f"Measured {found['measured_at'][:10]}, " if "measured_at" in found else ""]
    text[0] += f"seed {found['seed']}; traces with a first error that people found, or none: {sources}."
    for name, write_part in PARTS.items():
        if name in found:
            text += ["", *write_part(found[name])]
    return text


def screening(found: Json) -> list[str]:
    """Return who passes screening."""
    rows = [
        (
            one["kind"],
            str(one["n"]),
            f"{one['passed_mean']:.1f} ({one['passed_least']}–{one['passed_most']})",
            f"{one['at_once']}",
            f"{one['admitted']}",
            interval(one["admitted"], one["n"]),
        )
        for one in found["kinds"]
    ]
    groups = []
    for name, kinds in GROUPS.items():
        members = [one for one in found["kinds"] if one["kind"] in {kind.name for kind in kinds}]
        admitted, of = sum(one["admitted"] for one in members), sum(one["n"] for one in members)
        groups.append((name, str(of), str(admitted), interval(admitted, of)))
    return [
        f"**Screening.** {found['tasks']} gold tasks, {found['needed']} to pass, one more attempt; "
        f"{found['without_error']} of the first {found['tasks']} have no error.",
        "",
        *table(("labelers", "n", "passed at first, mean (range)", "admitted at once", "in all", "95 %"), rows),
        "",
        *table(("together", "n", "admitted", "95 %"), groups),
    ]


def standing(found: Json) -> list[str]:
    """Return whom the rule pauses."""
    looks = " / ".join(str(found["gold_a_round"] * (number + 1)) for number in range(found["rounds"]))
    rows = [
        (
            one["kind"],
            str(one["n"]),
            share(one["gold_passed"], one["gold_seen"]),
            " / ".join(map(str, one["paused"])),
            "–" if one["gold_to_pause"] is None else f"{one['gold_to_pause']:.0f}",
            f"{one['work'] / one['n']:.0f}",
            share(one["too_fast"], one["timed"]),
            f"{one['peers']:.0%}",
        )
        for one in found["kinds"]
    ]
    groups = [
        (name, str(one["n"]), " / ".join(map(str, one["paused"])), interval(one["paused"][-1], one["n"]))
        for name, one in found["groups"].items()
    ]
    head = (
        "labelers",
        "n",
        "gold passed",
        "paused",
        "median gold to pause",
        "work labels each",
        "hasty",
        "agree with peers",
    )
    return [
        f"**Labeler quality.** Nobody was screened; {found['rounds']} rounds of {found['work_traces_a_round']} traces "
        f"with overlap {found['overlap']}, {found['gold_a_round']} hidden gold tasks for each labeler in each. Paused: "
        f"after the rounds, so after at most {looks} gold tasks.",
        "",
        *table(head, rows),
        "",
        *table(("together", "n", "paused", "95 % of the last"), groups),
    ]


def overlap(found: Json) -> list[str]:
    """Return labels and accuracy by design."""
    goal = found["target"]
    rows = [
        (
            one["design"],
            f"{one['labels']:,}",
            f"{one['labels_a_trace']:.2f}",
            f"{one['settled'] / found['traces']:.1%}",
            triple(one["right_of_settled"]),
            triple(one["right_of_all"]),
            met(one["right_of_all"][0] >= goal),
        )
        for one in found["designs"]
    ]
    people = ", ".join(f"{one['n']} of {one['accuracy']:.0%}" for one in found["people"])
    head = ("design", "labels", "a trace", "settled", "right, of settled", "right, of all", f"{goal:.0%} of all right")
    against = [
        (
            one["design"],
            triple(one["labels_saved"]),
            triple(one["accuracy_won"]),
            f"{one['only_adaptive_right']} / {one['only_fixed_right']}",
        )
        for one in found["against_fixed"]
    ]
    return [
        f"**Overlap.** {found['traces']} traces, labeled again under each design by the same people "
        f"({people}), who give the same answers each time. Fixed 3 takes what two of three said.",
        "",
        *table(head, rows),
        "",
        *table(
            ("against fixed 3", "labels saved (95 %)", "right, of all: won (95 %)", "only this right / only fixed 3"),
            against,
        ),
    ]


def label_audit(found: Json) -> list[str]:
    """Return what was corrected in each arm."""
    rows = [
        (
            {"model": "the PRM finds unlikely", "control": "drawn at random"}.get(arm["arm"], arm["arm"]),
            str(arm["reviewed"]),
            str(arm["corrected"]),
            f"{arm['corrected'] / arm['reviewed']:.0%}",
            interval(arm["corrected"], arm["reviewed"]),
        )
        for arm in found["arms"]
    ]
    prm, won = found["prm"], found["difference"]
    aucs = [prm[name]["auc"] for name in ("test", "test_position_and_length_only")]
    return [
        f"**Label audit, {found['source']}.** {found['traces']} traces, labeled by other people in each of "
        f"{found['rounds']} rounds; "
        f"{share(found['wrong'], found['labels'])} labels are wrong. A reviewer who is always right "
        f"looked at {sum(arm['reviewed'] for arm in found['arms'])}. The PRM is a head on "
        f"SmolLM2-135M after layer {prm['layer']}, fitted on what people found in traces of other problems "
        f"(`bench/replay_prm.py`): step AUC {aucs[0]:.2f} on problems that it never saw, position and length alone "
        f"{aucs[1]:.2f}.",
        "",
        *table(("labels that", "reviewed", "corrected", "share", "95 %"), rows),
        "",
        f"Difference {won['value']:+.1%} (95 %, bootstrap over traces: {won['low']:+.1%} to {won['high']:+.1%}).",
    ]


def share(part: int, whole: int) -> str:
    """Format a share with its counts."""
    return f"{part / whole:.0%} of {whole:,}" if whole else "n/a"


def interval(part: int, whole: int) -> str:
    """Format Wilson's interval of a share."""
    low, high = wilson(part, whole)
    return f"{low:.0%}–{high:.0%}"


def triple(figure: list[float]) -> str:
    """Format a share and its interval."""
    value, low, high = figure
    return f"{value:.1%} ({low:.1%} to {high:.1%})"


PARTS = {
    "screening": screening,
    "standing": standing,
    "overlap": overlap,
    "label_audit": label_audit,
    "label_audit_tracking": label_audit,
}
