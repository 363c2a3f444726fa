"""The section of docs/benchmarks.md about the wait for the next step of a path."""

from typing import Any

from bench.markdown import met, table

TIMES = ("first_s", "median_s", "worst_s")
HOW = """\
`python -m bench.path_latency`, not part of `make bench`, measures the time from the submission of a path's step until
the next step's first completion can be shown. This includes actions, broker and a worker process. A path has {steps}
steps. A labeler who rates the first completion +1 has read it for {reading:g} s, and the next one was requested
meanwhile. A completion that the labeler writes cannot be foreseen."""
HOW_DEMO = """\
*On this machine* is the demo's SmolLM2-135M on one thread, which writes four completions at once and
shares the cores with everything else."""
NO_DEMO = "The demo's own model was not measured in this run."


def aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the aim: a completion requested ahead of time is ready."""
    runs = {(run["generator"], run["step"]): run for run in found["runs"]}
    run = runs.get(("A server of 2 s", "great"))
    if run is None or run["median_s"] is None:
        return []
    what = "next step of a path, first completion rated +1, a model of 2 s, median"
    return [(what, "<= 0.2 s", f"{run['median_s']:.2f} s", met(run["median_s"] <= 0.2))]


def body(found: dict[str, Any]) -> list[str]:
    """Return the waits by generator, and by whether the previous step was a completion or written."""
    kinds = {"great": "the first one was great", "written": "written by the labeler"}
    rows = [
        (f"{run['generator']}, {kinds[run['step']]}", *(_seconds(run[name]) for name in TIMES)) for run in found["runs"]
    ]
    return [
        HOW.format(reading=found["reading_s"], steps=found["steps"]),
        "",
        *table(("model, and the step before", "first step, s", "next step, median, s", "worst, s"), rows),
        "",
        HOW_DEMO if any(run["generator"] == "On this machine" for run in found["runs"]) else NO_DEMO,
    ]


def _seconds(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"
