"""The committed code against older versions, in one run on one machine: `python -m bench.against_version REV …`.

Each version's code is extracted from git into its own folder and started as its own `make demo` would start it, with
today's packages: only our code is compared. The versions take turns, in a different order each time, so that
disturbances of the machine affect all of them. Every figure is a time (less is better). A ratio is HEAD's time divided
by the older version's time in the same turn. CPU time is reported next to wall-clock time because the machine may have
other work.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from annotation_app.local.installation import BASE_DIR
from annotation_app.local.process import free_port
from bench import report
from bench.__main__ import keep
from bench.against_version_report import ANNOTATORS, HEAD, TASKS
from bench.import_export import labeled_row, write_rows, write_traces
from bench.prm_traces import Composer, data_folder, recorded
from bench.progress import say
from bench.smollm2 import step_classifier

LAID_OVER = ("version_side.py", "version_jobs.py", "version_scoring.py", "load.py")  # into an older version's bench
TURNS = 5
WARM_UP = 10.0  # seconds of labeling before anything is measured


@dataclass
class Sizes:
    """How much work each turn does."""

    turns: int = TURNS
    traces: int = 5_000
    labels: int = 10_000
    scored: int = 16  # of each kind: sampled separately, and as trees
    seconds: float = 4.0
    warm_up: float = 1.0


@dataclass
class Files:
    """The files that all versions read."""

    traces: Path
    labels: Path
    problems: Path | None  # None without shared traces or without a model
    model: Path | None


class Side:
    """A running version."""

    def __init__(self, name: str, tree: Path) -> None:
        self.name = name
        self.tree = tree
        self.project: dict[str, Any] = {}

    @contextmanager
    def running(self) -> Iterator["Side"]:
        """Start the version's servers, and stop them at the end."""
        read, write = os.pipe()
        env = {**os.environ, "BENCH_PORT": str(free_port(0))}
        command = [sys.executable, "-m", "bench.version_side", str(write)]
        with (self.tree / "side.log").open("w") as log, os.fdopen(read) as answers:
            process = subprocess.Popen(
                command,
                cwd=self.tree,
                env=env,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                pass_fds=[write],
                text=True,
            )
            os.close(write)
            assert process.stdin is not None
            self.process = process
            self.orders: IO[str] = process.stdin
            self.answers: IO[str] = answers
            try:
                self.port = self._answer()["port"]
                yield self
            finally:
                process.stdin.close()
                process.wait()

    def run(self, module: str, *arguments: str, **env: str) -> dict[str, Any]:
        """Run a module in this version; return its output and the CPU seconds used.

        Raises RuntimeError with the end of the version's log.
        """
        self.orders.write(json.dumps({"module": module, "arguments": arguments, "env": env}) + "\n")
        self.orders.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        if line := self.answers.readline():
            answer: dict[str, Any] = json.loads(line)
            return answer
        self.process.wait()  # it logs the reason after it has closed the pipe
        raise RuntimeError(f"{self.name} ended. The end of its log:\n{(self.tree / 'side.log').read_text()[-3000:]}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write bench/results/against_version.json, and docs/benchmarks.md from all existing results."""
    parser = argparse.ArgumentParser(prog="python -m bench.against_version", description=__doc__)
    parser.add_argument("revisions", nargs="+", metavar="REV", help="a tag or a commit of git")
    parser.add_argument("--quick", action="store_true", help="small, to see that it works; the result is not kept")
    options = parser.parse_args(arguments)
    sizes = Sizes(2, 500, 500, 4, 1.5, 0.5) if options.quick else Sizes()
    for found in measure(options.revisions, sizes):  # after each turn, so that an interrupted run keeps its results
        say(f"turn {len(found['turns'][HEAD])}: {json.dumps([version['ratios'] for version in found['versions']])}")
        keep("against_version", found, unless=options.quick)
    if not options.quick:
        report.write()
    return 0


def measure(revisions: Sequence[str], sizes: Sizes) -> Iterator[dict[str, Any]]:
    """Yield the turns of all versions and the ratios so far, after each turn."""
    with TemporaryDirectory(prefix="sv-", dir="/tmp") as made, ExitStack() as running:
        folder, head = Path(made), git("rev-parse", "HEAD").strip()
        folder.chmod(0o755)  # the servers' user must be able to enter it
        files = make_files(folder, sizes)
        trees = {HEAD: tree_of(head, folder), **{one: tree_of(one, folder) for one in revisions}}
        sides = [running.enter_context(Side(name, tree).running()) for name, tree in trees.items()]
        say("all versions are up")
        for side in sides:
            fill(side, files)
        about = {"head": head, "traces": sizes.traces, "labels": sizes.labels}
        about["scored"] = 2 * sizes.scored if files.model else 0
        turns: dict[str, list[dict[str, float]]] = {side.name: [] for side in sides}
        for turn in range(sizes.turns):
            for name, times in one_turn(sides[turn % len(sides) :] + sides[: turn % len(sides)], turn, files, sizes):
                turns[name].append(times)
            yield {**about, "versions": [compared(one, turns) for one in revisions], "turns": turns}


def compared(revision: str, turns: dict[str, list[dict[str, float]]]) -> dict[str, Any]:
    """Return a version with HEAD's ratios to it."""
    return {"revision": revision, "version": version_of(revision), "ratios": ratios(turns[HEAD], turns[revision])}


def make_files(folder: Path, sizes: Sizes) -> Files:
    """Write the traces, the labels and the problems to score."""
    files = Files(folder / "traces.jsonl", folder / "labels.jsonl", None, None)
    write_traces(files.traces, sizes.traces)
    write_rows(files.labels, sizes.labels, labeled_row)
    try:
        shared, model = data_folder(), step_classifier().resolve()
    except PackageNotFoundError as missing:
        say(f"scoring is left out: {missing}")
        return files
    if shared is not None:
        composer = Composer(recorded(shared, "gsm8k_openai"), seed=3)
        files.problems, files.model = folder / "problems.json", model
        files.problems.write_text(json.dumps(composer.sampled(1, sizes.scored) + composer.trees(1, sizes.scored)))
    return files


def tree_of(revision: str, folder: Path) -> Path:
    """Extract a version's code and copy the benchmark files over it."""
    tree = folder / f"tree-{revision.replace('/', '-')[:12]}"
    tree.mkdir()
    archive = subprocess.run(["git", "archive", revision], cwd=BASE_DIR, capture_output=True, check=True).stdout
    subprocess.run(["tar", "--extract", f"--directory={tree}"], input=archive, check=True)
    for name in LAID_OVER:
        (tree / "bench" / name).write_text((Path(__file__).parent / name).read_text())
    page = Path("frontend") / "dist"  # today's page: a version's own page is not measured
    (tree / page).symlink_to(BASE_DIR / page)
    return tree


def version_of(revision: str) -> str:
    """Return the version number in the revision's pyproject.toml."""
    version: str = tomllib.loads(git("show", f"{revision}:pyproject.toml"))["project"]["version"]
    return version


def git(*arguments: str) -> str:
    """Return the output of a git command. Raises CalledProcessError."""
    return subprocess.run(["git", *arguments], cwd=BASE_DIR, capture_output=True, text=True, check=True).stdout


def fill(side: Side, files: Files) -> None:
    """Create a project with a queue and a project with labels, and warm up the servers."""
    side.project = side.run("bench.fill", "--tasks", str(TASKS))["found"]
    side.run("bench.version_jobs", "import", "labels", str(files.labels))
    load(side, seconds=WARM_UP, warm_up=0.0)  # each web process loads the API on its first request
    say(f"{side.name}: filled")


def one_turn(sides: Sequence[Side], turn: int, files: Files, sizes: Sizes) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield each version's times: every kind of work runs in one version right after the other.

    Times are in seconds, those of a label in ms.
    """
    times: dict[str, dict[str, float]] = {side.name: {} for side in sides}
    for side in sides:
        times[side.name] |= label(side, sizes)
    for side in sides:
        times[side.name] |= job(side, "import", f"traces-{turn}", str(files.traces))
    for side in sides:
        times[side.name] |= job(side, "export", "labels", "prm800k")
    for side in sides if files.model else ():
        scored = side.run("bench.version_scoring", str(files.model), str(files.problems))["found"]
        times[side.name]["scoring_cpu"] = scored["cpu_seconds"]
    yield from times.items()


def label(side: Side, sizes: Sizes) -> dict[str, float]:
    """Measure annotators that claim and submit. Raises RuntimeError if a request was refused."""
    answer = load(side, seconds=sizes.seconds, warm_up=sizes.warm_up)
    found, cpu = answer["found"], answer["cpu"]
    if found["refused"] or "submit" not in found["milliseconds"]:
        raise RuntimeError(f"{side.name} took no label in {sizes.seconds} s. Refused: {found['refused']}")
    claims, submits = found["milliseconds"]["claim"], found["milliseconds"]["submit"]
    share = found["seconds"] / (found["seconds"] + sizes.warm_up)  # of the CPU time, which includes the warm-up
    return {
        "label_clock": 1000 * found["seconds"] / len(submits),
        "label_cpu": 1000 * share * (cpu["web"] + cpu["postgres"]) / len(submits),
        "claim_p50": statistics.median(claims),
        "submit_p50": statistics.median(submits),
    }


def load(side: Side, *, seconds: float, warm_up: float) -> dict[str, Any]:
    """Return what bench.load measures for ANNOTATORS annotators without a pause, and the CPU seconds."""
    spec = {
        "port": side.port,
        "slug": side.project["slug"],
        "headers": [[f"Authorization: Bearer {one}"] for one in side.project["tokens"][:ANNOTATORS]],
        "seconds": seconds,
        "warm_up": warm_up,
        "traffic": [],
        "pace": 0,
    }
    path = side.tree / "load.json"
    path.write_text(json.dumps(spec))
    return side.run("bench.load", str(path))


def job(side: Side, kind: str, slug: str, what: str) -> dict[str, float]:
    """Return an import's or export's wall-clock seconds, and the CPU seconds of its process and of Postgres."""
    answer = side.run("bench.version_jobs", kind, slug, what)
    found = answer["found"]
    return {f"{kind}_clock": found["seconds"], f"{kind}_cpu": found["cpu_seconds"] + answer["cpu"]["postgres"]}


def ratios(ours: Sequence[dict[str, float]], theirs: Sequence[dict[str, float]]) -> dict[str, dict[str, float]]:
    """Return, per measure, our time divided by theirs in the same turn: median, least and greatest."""
    found = {}
    for name in ours[0]:
        of_turns = [one[name] / other[name] for one, other in zip(ours, theirs, strict=True)]
        found[name] = {"median": statistics.median(of_turns), "least": min(of_turns), "greatest": max(of_turns)}
    return found


if __name__ == "__main__":
    sys.exit(main())
