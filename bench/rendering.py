"""Every trace of a folder rendered by the labeling page's own components: what a reader would miss, at three widths.

`make rendering TRACES=FOLDER` builds the page and runs this. FOLDER holds JSON lines with `problem` and `steps` (and
`ground_truth_answer`). Content that is not cut off but can be scrolled to with an arrow counts as `scrolls`; everything
else that is counted is a fault.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route, sync_playwright

from annotation_app.local.installation import BASE_DIR
from bench.page import ARGUMENTS, CHROMIUM

BUILT = BASE_DIR / "var" / "rendering"
ORIGIN = "http://rendering.localhost"
WIDTHS = (390, 1440, 1920)
AT_ONCE = 24  # traces per page; with more, the browser takes longer for each
KINDS = ("cut", "over_the_clock", "empty_box", "raw_command", "refused", "untraceable", "lonely_minus", "scrolls")
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2"}

Trace = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of the counts; with --keep, also write every finding with its place."""
    parser = argparse.ArgumentParser(prog="python -m bench.rendering", description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder of .jsonl files")
    parser.add_argument("--sample", type=int, help="so many traces of the folder, drawn at random; default: all")
    parser.add_argument("--widths", type=int, nargs="+", default=WIDTHS)
    parser.add_argument("--keep", type=Path, help="write the findings here, as JSON lines")
    options = parser.parse_args(arguments)
    traces = list(read(options.folder))
    if not traces:
        parser.error(f"{options.folder} holds no trace: no .jsonl file with lines that have `problem` and `steps`.")
    if options.sample and options.sample < len(traces):
        traces = random.Random(0).sample(traces, options.sample)
    findings = look_at(traces, options.widths)
    print(table(findings, options.widths, traces))
    if options.keep:
        options.keep.write_text("".join(json.dumps(one) + "\n" for one in findings))
    return 0


def read(folder: Path) -> Iterator[Trace]:
    """Return each line of the folder that is a problem with steps."""
    for path in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            row = json.loads(line)
            if isinstance(row.get("problem"), str) and isinstance(row.get("steps"), list):
                answer = row.get("ground_truth_answer")
                yield {"place": f"{path.name}:{number}", "answer": answer, **{k: row[k] for k in ("problem", "steps")}}


def look_at(traces: Sequence[Trace], widths: Sequence[int]) -> list[dict[str, Any]]:
    """Return all findings, each with its trace's place, the width, the place within the trace, and the text."""
    findings = []
    began = time.monotonic()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = open_page(browser.new_page(viewport={"width": widths[0], "height": 900}))
        for start in range(0, len(traces), AT_ONCE):
            batch = traces[start : start + AT_ONCE]
            page.evaluate("traces => rendering.show(traces)", batch)
            for width in widths:
                page.set_viewport_size({"width": width, "height": 900})
                looked = page.evaluate("() => rendering.look()")
                for trace, found in zip(batch, looked, strict=True):
                    findings += [{"place": trace["place"], "width": width, **one} for one in found]
            if start % (20 * AT_ONCE) == 0:
                print(f"{start + len(batch)} traces, {time.monotonic() - began:.0f} s", file=sys.stderr)
        browser.close()
    return findings


def open_page(page: Page) -> Page:
    """Open the built page from its folder, without a server. Raises RuntimeError."""
    if not (BUILT / "index.html").exists():
        raise RuntimeError(f"{BUILT} holds no page. Run: make rendering TRACES=FOLDER")

    def answer(route: Route) -> None:
        path = BUILT / route.request.url.removeprefix(ORIGIN).lstrip("/")
        route.fulfill(body=path.read_bytes(), content_type=TYPES.get(path.suffix, "application/octet-stream"))

    page.route(f"{ORIGIN}/**", answer)
    page.goto(f"{ORIGIN}/index.html")
    page.evaluate("() => document.fonts.ready")
    return page


def table(findings: Sequence[dict[str, Any]], widths: Sequence[int], traces: Sequence[Trace]) -> str:
    """Return a Markdown table: for each kind and width, the number of places and of traces."""
    places: Counter[tuple[str, int]] = Counter()
    where: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for one in findings:
        places[one["kind"], one["width"]] += 1
        where[one["kind"], one["width"]].add(one["place"])
    head = " | ".join(f"{width} px" for width in widths)
    lines = [f"n = {len(traces):,} traces", "", f"| places (traces) | {head} |", "| --- |" + " --- |" * len(widths)]
    for kind in KINDS:
        cells = " | ".join(f"{places[kind, width]} ({len(where[kind, width])})" for width in widths)
        lines.append(f"| {kind} | {cells} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
