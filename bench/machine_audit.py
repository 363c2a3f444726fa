"""Machines compared with the first errors that people found, in public files: `python -m bench.machine_audit [FILE …]`.

Runs the checks that need no model, and the demo's PRM, over files of ../shared/data, and computes the figures of a
source's page for the table of docs/quality.md. Traces that a source does not judge are counted separately and are in
none of the figures. The checks name an error or say nothing; they never say that there is no error.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.active_learning import SHARED
from bench.machine import machine
from bench.markdown import put_between, table
from bench.progress import say
from labeling.formats.normalise import problem_key
from labeling.metrics.evaluation import evaluate
from labeling.metrics.traces import EvaluatedTrace, predicted_first_error, targets_of
from labeling.protocol.verdicts import NO_ERROR
from labeling.sources.verifier import check, marked
from labeling.statistics.intervals import Estimate
from worker.demo_prm import NAME, make_models
from worker.prm.registry import load_scorer
from worker.prm.spec import parse_spec

ROOT = Path(__file__).parents[1]
PAGE, RESULTS = ROOT / "docs/quality.md", ROOT / "bench/results/machine_audit.json"
BEGIN, END = "<!-- bench.machine_audit -->\n", "<!-- /bench.machine_audit -->\n"
MODELS = ROOT / "var/models"
FILES = ("bbmistake_multistep_arithmetic", "processbench_gsm8k", "processbench_math", "prm800k_val")
LONGEST = 1400  # characters of problem and steps, for the model: what a CPU reads in about a second
MOST = 60  # traces that the model reads per file, spread over it
FIGURES = ("first_error_accuracy", "accuracy_on_erroneous", "accuracy_on_error_free", "processbench_f1")


class Known(NamedTuple):
    """A trace and the first error that people found."""

    problem: str
    steps: list[str]
    first_error: int


def read(name: str) -> list[Known]:
    """Return the traces of a file for which people recorded a first error, or none."""
    rows = [json.loads(line) for line in (SHARED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    known = [Known(row["problem"], row["steps"], row["first_error"]) for row in rows if row["first_error"] is not None]
    return [one for one in known if one.first_error < len(one.steps)]


def checked(traces: Sequence[Known]) -> Iterator[tuple[Known, int | None]]:
    """Yield the checks' verdicts; each trace is checked together with the others of its problem."""
    by_problem = defaultdict(list)
    for one in traces:
        by_problem[one.problem].append(one)
    for one in traces:
        others = [other.steps for other in by_problem[one.problem] if other is not one]
        yield one, marked(check(one.problem, one.steps, others)).first_error


def scored(traces: Sequence[Known]) -> Iterator[tuple[Known, int | None]]:
    """Yield the demo PRM's verdicts on traces whose problems it did not learn from."""
    make_models(MODELS)
    meta = json.loads((MODELS / NAME / "meta.json").read_text())
    learned = set(((meta.get("lineage") or {}).get("learned") or {}).get("problems") or [])
    scorer = load_scorer(parse_spec(json.loads((MODELS / f"{NAME}.json").read_text()), MODELS))
    short = [one for one in traces if len(one.problem) + sum(map(len, one.steps)) <= LONGEST]
    short = [one for one in short if problem_key(one.problem).hex() not in learned]
    for one in short[:: max(1, len(short) // MOST)][:MOST]:
        [found] = scorer.score(one.problem, [one.steps])
        yield one, None if found.steps is None else predicted_first_error(found.steps)


def figures(said: Sequence[tuple[Known, int | None]]) -> dict[str, Any]:
    """Return the figures of a source's page over the traces that the machine judges, and the number of those traces."""
    spoken = [(one, first) for one, first in said if first is not None]
    rows = [
        EvaluatedTrace(
            one.problem,
            [1.0 if first == NO_ERROR or step < first else 0.0 for step in range(len(one.steps))],
            targets_of(one.first_error, len(one.steps)),
            one.first_error,
            "ungraded",
        )
        for one, first in spoken
    ]
    found = evaluate(rows).metrics if rows else {}
    told = {name: words(found[name]) if name in found else "n/a" for name in FIGURES}
    return {"traces": len(said), "spoken": len(spoken), **told}


def words(found: Estimate) -> str:
    """Format a figure with its interval and n."""
    if found.value is None:
        return "n/a"
    if found.low is None or found.high is None:
        return f"{found.value:.2f} (no interval; n {found.n})"
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f}; n {found.n})"


def write(kept: dict[str, Any]) -> None:
    """Write the table of docs/quality.md."""
    head = ("file", "machine", "traces", "traces judged", "same first error as people",
            "same, on traces with an error", "same, on traces without one", "ProcessBench F1")  # fmt: skip
    rows = [
        (name, source, f"{one['traces']:,}", f"{one['spoken']:,}", *(one[figure] for figure in FIGURES))
        for name in FILES
        if name in kept
        for source, one in kept[name].items()
    ]
    put_between(PAGE, BEGIN, END, [*table(head, rows), ""])


def main(names: Sequence[str]) -> int:
    """Measure the named files (default: all), save the results, and write the table."""
    kept = json.loads(RESULTS.read_text())["files"] if RESULTS.exists() else {}
    for name in names or FILES:
        traces = read(name)
        kept[name] = {"checks": figures(list(checked(traces))), "demo PRM": figures(list(scored(traces)))}
        say(f"{name}: {kept[name]}")
        RESULTS.write_text(json.dumps({"machine": machine(), "files": kept}, indent=1) + "\n")
    write(kept)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
