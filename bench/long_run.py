"""Runs of 500 and of 2,000 steps: imported, opened, scrolled, read and labeled in Chromium on the real servers."""

import json
import os
import secrets
import time
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Browser, Page, sync_playwright

from bench.http_labeling import spread
from bench.installation import FOLDER, Installation
from bench.markdown import met, table
from bench.page import ARGUMENTS, CHROMIUM, log_in, open_context
from bench.progress import say

RUNS = ((500, 12), (2_000, 50))  # steps and megabytes
QUICK = ((200, 2), (400, 5))
KEYS = 300  # pressed and measured; one more key rates all remaining steps
APART = 0.033  # seconds between two keys, plus up to a frame
FRAMES = Path(__file__).parent / "measure_frames.js"
LIMITS = ("--disable-frame-rate-limit", "--disable-gpu-vsync")
MEDIANS = {"scroll_frame_ms": 17, "whole_frame_ms": 17, "key_to_paint_ms": 17}  # milliseconds at sixty frames a second
HOW = """\
`python -m bench long_run` uses chats in which each message of the agent has a call and its result, one chat per row.
One result in ten is long (as long as the run's size requires), and one has a megabyte.

Frames are those that Chromium drew while the steps were scrolled through, 300 pixels per frame, and while the megabyte
was scrolled once it was shown. Chromium draws at most sixty frames per second, in software.

{keys} ratings by one key each are measured. The first half are as far apart as the repeats of a key that is held down,
at every place in a frame. The others are sent without any pause, so a key waits for those before it. The label is
submitted with all ratings. Servers, browser and measurement share the machine's cores."""
ONCE = (
    ("other work on the machine at the start, load average", lambda one: f"{one['load']:.1f}"),
    ("import, seconds", lambda one: f"{one['seconds']:.1f}"),
    ("memory of the importing process, MB", lambda one: f"{one['memory_mb']:.0f}"),
    ("from the address to the first step, seconds", lambda one: f"{one['interactive_ms'] / 1000:.1f}"),
    ("memory of the page's program, MB", lambda one: f"{one['heap_mb']:.0f}"),
    (
        "memory of the web processes before and after, MB",
        lambda one: f"{one['web_mb_before']:.0f}, {one['web_mb']:.0f}",
    ),
    ("1 MB shown whole, ms", lambda one: f"{one['whole_ms']:.0f}"),
    ("submission of all ratings, ms", lambda one: f"{one['submit_ms']:.0f}"),
)
SPREADS = (
    ("a frame while the run is scrolled", "scroll_frame_ms"),
    ("a frame while 1 MB is scrolled", "whole_frame_ms"),
    ("a rating's key to paint", "key_to_paint_ms"),
    ("a rating's key to paint, keys sent without a pause", "burst_to_paint_ms"),
)


def write_run(path: Path, steps: int, megabytes: int) -> None:
    """Write a chat in which each agent message calls a tool; one result in ten is long, one has a megabyte."""
    long = megabytes * 2**20 // (steps // 10)
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Read all {steps} logs and mend what fails."}]
    for number in range(steps - 1):
        call = {"name": "bash", "arguments": json.dumps({"cmd": f"pytest -q tests/test_{number}.py"})}
        said = {"role": "assistant", "content": f"I look at part {number}, as the one before failed."}
        calls = [{"id": f"c{number}", "type": "function", "function": call}]
        size = 2**20 if number == 5 else long if number % 10 == 0 else 300
        line = f"{number} passed: all is well in this part of the log\n"
        messages += [
            {**said, "tool_calls": calls},
            {"role": "tool", "tool_call_id": f"c{number}", "content": (line * (size // len(line) + 1))[:size]},
        ]
    messages.append({"role": "assistant", "content": "All of them pass now."})
    path.write_text(json.dumps({"messages": messages}) + "\n")


def measure(installation: Installation, *, quick: bool = False) -> dict[str, Any]:
    """Import each run, then open, scroll, read and label it."""
    password = secrets.token_urlsafe(12)
    found = []
    with sync_playwright() as playwright:
        arguments = [one for one in ARGUMENTS if one not in LIMITS] + ["--enable-precise-memory-info"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        for steps, megabytes in QUICK if quick else RUNS:
            file = FOLDER / f"long-run-{steps}.jsonl"
            write_run(file, steps, megabytes)
            made = installation.run("bench.one_run", str(file), BENCH_PASSWORD=password)
            say(f"long run: {steps:,} steps imported in {made['seconds']:.1f} s with {made['memory_mb']:.0f} MB")
            before, load = _memory(installation), os.getloadavg()[0]
            shown = _shown(browser, f"http://localhost:{installation.local.web_port}", made, password)
            found.append({**made, **shown, "load": load, "web_mb_before": before, "web_mb": _memory(installation)})
        browser.close()
    return {"runs": found}


def _shown(browser: Browser, origin: str, made: dict[str, Any], password: str) -> dict[str, Any]:
    """Measure one run in the labeling page, from its address to the submission."""
    cookies = log_in(browser, origin, made["username"], password)
    context, page = open_context(browser, cookies)
    page.add_init_script(path=FRAMES)
    page.goto(f"{origin}/projects/{made['slug']}/label", timeout=120_000)
    page.evaluate("bench.until('interactive', 1)")
    found = {"interactive_ms": page.evaluate("bench.interactive[0]")}
    say(f"long run: first step after {found['interactive_ms']:.0f} ms")
    page.wait_for_load_state("networkidle")
    found |= {"heap_mb": page.evaluate("performance.memory.usedJSHeapSize") / 2**20}
    found |= {"scroll_frame_ms": spread(page.evaluate("frames.scroll(document.querySelector('li[data-step]'))"))}
    found |= _read_the_megabyte(page)
    found |= _label(page, made["units"])
    context.close()
    say(f"long run: a key {found['key_to_paint_ms']['p50']:.1f} ms, submitted in {found['submit_ms']:.0f} ms")
    return found


def _memory(installation: Installation) -> float:
    """Return the memory of the web processes in MB."""
    assert installation.web.process is not None
    root = psutil.Process(installation.web.process.pid)
    return sum(one.memory_info().rss for one in (root, *root.children(recursive=True))) / 2**20


def _read_the_megabyte(page: Page) -> dict[str, Any]:
    row = page.locator("li[data-step='5']")
    row.scroll_into_view_if_needed()
    begun = time.perf_counter()
    row.get_by_role("button", name="Show all").click()
    row.get_by_role("searchbox").wait_for(timeout=60_000)
    whole = (time.perf_counter() - begun) * 1000
    frame = "document.querySelector(\"li[data-step='5'] [class*='frame']\").firstElementChild"
    return {"whole_ms": whole, "whole_frame_ms": spread(page.evaluate(f"frames.scroll({frame})"))}


def _label(page: Page, units: int) -> dict[str, Any]:
    """Rate steps by key, rate the rest with the key for "all up to here", and submit the label."""
    page.locator("li[data-step='0']").click()
    half, pressed = KEYS // 2, min(KEYS, units - 1)
    for number in range(pressed):
        page.keyboard.press("1")
        if number < half:
            time.sleep(APART + number % 17 / 1000)
    page.evaluate(f"bench.until('keys', {pressed})")
    keys = {
        "key_to_paint_ms": spread(page.evaluate(f"bench.keys.slice(5, {half})")),
        "burst_to_paint_ms": spread(page.evaluate(f"bench.keys.slice({half})")),
    }
    page.keyboard.press("End")
    page.keyboard.press("e")
    page.locator(f"li[data-step='{units - 1}'] [aria-checked='true']").wait_for(timeout=60_000)
    begun = time.perf_counter()
    with page.expect_response(lambda answer: answer.url.endswith("/submit"), timeout=60_000) as answer:
        page.get_by_role("button", name="Submit").first.click()
    if not answer.value.ok:
        raise RuntimeError(f"The label was not taken: {answer.value.status} {answer.value.text()[:300]}")
    return {**keys, "submit_ms": (time.perf_counter() - begun) * 1000}


def aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the page's aims for the longest runs."""
    said: list[tuple[str, ...]] = []
    for one in found["runs"]:
        run = f"a run of {one['units']:,} steps, {one['bytes'] / 1e6:.0f} MB"
        first, submitted = one["interactive_ms"] / 1000, one["submit_ms"] / 1000
        said.append((f"{run}: first step", "<= 10 s", f"{first:.1f} s", met(first <= 10)))
        for name, key in SPREADS[: len(MEDIANS)]:
            median, most = one[key]["p50"], MEDIANS[key]
            said.append((f"the same, {name}, median", f"<= {most} ms", f"{median:.1f} ms", met(median <= most + 0.1)))
        said.append(("the same, submission", "<= 1 s", f"{submitted:.2f} s", met(submitted <= 1)))
    return said


def body(found: dict[str, Any]) -> list[str]:
    """Return times, frames and memory, one column per run."""
    runs = found["runs"]
    head = [f"{one['units']:,} steps, {one['bytes'] / 1e6:.0f} MB" for one in runs]
    once = [(name, *(shown(one) for one in runs)) for name, shown in ONCE]
    rows = [
        (name, steps, *(f"{one[key][q]:.1f}" for q in ("p50", "p95", "max")))
        for name, key in SPREADS
        for steps, one in zip(head, runs, strict=True)
    ]
    how = HOW.format(keys=KEYS)
    return [how, "", *table(("a long run", *head), once), "", *table(("ms", "run", "p50", "p95", "max"), rows)]
