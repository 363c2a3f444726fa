"""One run of 2,000 steps and 50 MB: imported, opened, scrolled, read and labeled in Chromium on the real servers."""

import json
import secrets
import time
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Page, sync_playwright

from bench.http_labeling import spread
from bench.installation import FOLDER, Installation
from bench.markdown import met, table
from bench.page import ARGUMENTS, CHROMIUM, log_in, open_context
from bench.progress import say

STEPS = 2_000
MEGABYTES = 50
FRAMES = Path(__file__).parent / "measure_frames.js"
LIMITS = ("--disable-frame-rate-limit", "--disable-gpu-vsync")
SIXTIETH = 1000 / 60
HOW = """\
`python -m bench long_run`: a chat of {units:,} messages of the agent, each with a call and its result,
{megabytes:.0f} MB in one row; one result in ten has a quarter of a megabyte, one a whole. Frames are those that
Chromium drew while the steps were scrolled through, 300 pixels a frame, and while the megabyte was, once it was
shown; it draws at most sixty a second, in software. Servers, browser and measurement share the machine's cores."""


def write_run(path: Path, steps: int, megabytes: int) -> None:
    """A chat in which each message of the agent calls a tool; one result in ten is long, one has a megabyte."""
    long = megabytes * 2**20 // (steps // 10)
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Read all of the logs and mend what fails."}]
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
    """Import, then open, scroll, read and label."""
    steps, megabytes = (200, 5) if quick else (STEPS, MEGABYTES)
    password = secrets.token_urlsafe(12)
    file = FOLDER / "long_run.jsonl"
    write_run(file, steps, megabytes)
    made = installation.run("bench.one_run", str(file), BENCH_PASSWORD=password)
    say(f"long run: imported in {made['seconds']:.1f} s with {made['memory_mb']:.0f} MB")
    before = _memory(installation)
    origin = f"http://localhost:{installation.stack.web_port}"
    with sync_playwright() as playwright:
        arguments = [one for one in ARGUMENTS if one not in LIMITS] + ["--enable-precise-memory-info"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
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
        browser.close()
    return {**made, **found, "web_mb_before": before, "web_mb": _memory(installation)}


def _memory(installation: Installation) -> float:
    """Of the web processes, in MB."""
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
    """Every unit rated by a key, and the label submitted."""
    page.locator("li[data-step='0']").click()
    for _ in range(units):
        page.keyboard.press("1")
    page.wait_for_function("document.querySelectorAll('li[data-step] [data-rating]').length > 0")
    keys = spread(page.evaluate("bench.keys.slice(5)"))
    begun = time.perf_counter()
    with page.expect_response(lambda answer: answer.url.endswith("/submit"), timeout=60_000) as answer:
        page.get_by_role("button", name="Submit").first.click()
    if not answer.value.ok:
        raise RuntimeError(f"The label was not taken: {answer.value.status} {answer.value.text()[:300]}")
    return {"key_to_paint_ms": keys, "submit_ms": (time.perf_counter() - begun) * 1000}


def aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """What the page holds itself to with a run as long as any."""
    scroll, whole = found["scroll_frame_ms"], found["whole_frame_ms"]
    return [
        (
            "a run of 2,000 steps, 50 MB: first step",
            "<= 10 s",
            _seconds(found["interactive_ms"]),
            met(found["interactive_ms"] <= 10_000),
        ),
        (
            "the same, a frame while scrolling, median",
            "<= 17 ms",
            f"{scroll['p50']:.1f} ms",
            met(scroll["p50"] <= SIXTIETH + 0.4),
        ),
        (
            "a result of 1 MB, a frame while scrolling, median",
            "<= 17 ms",
            f"{whole['p50']:.1f} ms",
            met(whole["p50"] <= SIXTIETH + 0.4),
        ),
    ]


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.1f} s"


def body(found: dict[str, Any]) -> list[str]:
    """Times, frames and memory."""
    how = HOW.format(units=found["units"], megabytes=found["bytes"] / 1e6)
    once = [
        ("import, seconds", f"{found['seconds']:.1f}"),
        ("memory of the importing process, MB", f"{found['memory_mb']:.0f}"),
        ("from the address to the first step, seconds", f"{found['interactive_ms'] / 1000:.1f}"),
        ("memory of the page's program, MB", f"{found['heap_mb']:.0f}"),
        ("memory of the web processes before and after, MB", f"{found['web_mb_before']:.0f}, {found['web_mb']:.0f}"),
        ("1 MB shown whole, ms", f"{found['whole_ms']:.0f}"),
        ("submission of all ratings, ms", f"{found['submit_ms']:.0f}"),
    ]
    rows = [
        (name, *(f"{found[key][q]:.1f}" for q in ("p50", "p95", "max")))
        for name, key in (
            ("a frame while the run is scrolled", "scroll_frame_ms"),
            ("a frame while 1 MB is scrolled", "whole_frame_ms"),
            ("a rating's key to paint", "key_to_paint_ms"),
        )
    ]
    return [how, "", *table(("a long run", ""), once), "", *table(("ms", "p50", "p95", "max"), rows)]
