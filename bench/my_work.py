"""*My work* over HTTP for a labeler with 50,000 labels: `python -m bench.my_work` prints how long each request takes
and writes bench/results/my_work.json.
"""

import json
import statistics
import sys
import time
from typing import Any

import httpx

from bench.installation import Installation, fresh_installation
from bench.machine import machine
from bench.progress import say
from bench.report import RESULTS

LABELS = 50_000
REPEATS = 5


def measure(installation: Installation) -> dict[str, Any]:
    """Return the median milliseconds of each request, and how many requests a search through all labels takes."""
    asked = ("bench.fill", "--tasks", str(LABELS), "--annotators", "1", "--labeled")
    project = installation.run(*asked)
    with httpx.Client(
        base_url=f"http://127.0.0.1:{installation.local.web_port}",
        headers={"Authorization": f"Bearer {project['tokens'][0]}", "Host": "localhost"},
        timeout=60,
    ) as client:
        base = f"/api/projects/{project['slug']}"
        newest = get(client, f"{base}/my_labels")["results"][0]["id"]
        looks = {
            "opened": f"{base}/my_labels",
            "by result": f"{base}/my_labels?result=no_error",
            "a word of a recent label": f"{base}/my_labels?search=sells {LABELS // 10} boxes",
            "one label": f"/api/labels/{newest}",
            "how I am doing": f"{base}/my_coaching",
        }
        found = {name: milliseconds(client, address) for name, address in looks.items()}
        requests, seconds = search_all(client, f"{base}/my_labels?search=no such word&limit=200")
    for name, took in found.items():
        say(f"my work: {name}: {took:.0f} ms")
    say(f"my work: a word that is nowhere: {requests} requests, {seconds:.1f} s")
    return {
        "labels": LABELS,
        "machine": machine(),
        "milliseconds": found,
        "search_all": {"requests": requests, "seconds": seconds},
    }


def milliseconds(client: httpx.Client, address: str) -> float:
    """Return the median of a few requests, without the first, which loads plans."""
    took = []
    for _ in range(REPEATS + 1):
        began = time.perf_counter()
        get(client, address)
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took[1:])


def search_all(client: httpx.Client, address: str) -> tuple[int, float]:
    """Search as the page does: follow `next` while nothing is found."""
    began, requests, cursor = time.perf_counter(), 0, ""
    while cursor is not None:
        cursor = get(client, f"{address}&cursor={cursor}")["next"]
        requests += 1
    return requests, time.perf_counter() - began


def get(client: httpx.Client, address: str) -> Any:
    """Return the response. Raises httpx.HTTPStatusError."""
    return client.get(address).raise_for_status().json()


def main() -> int:
    """Measure and write the file."""
    with fresh_installation() as installation:
        found = measure(installation)
    (RESULTS / "my_work.json").write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
