"""Whether response times reveal gold: `python -m bench.gold_times`. Takes a minute and starts its own servers.

Seven labelers take turns to claim and submit over HTTP, in a round with work and gold. The figure is the share of pairs
of a gold task and a work task in which the gold one took longer; it is a half if time reveals nothing. Writes
bench/results/gold_times.json.
"""

import json
import math
import statistics
import sys
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from uuid import uuid4

from bench.installation import PORT, Installation, fresh_installation
from bench.machine import machine

RESULT = Path(__file__).parent / "results" / "gold_times.json"
KIND_OF = "SELECT label.id, task.kind FROM labeling_label label JOIN labeling_task task ON task.id = label.task_id"


def main() -> int:
    """Measure, print and save."""
    with fresh_installation() as installation:
        times = label_all(installation, installation.run("bench.gold_times_world"))
    found = {"machine": machine(), **{request: compare(rows) for request, rows in times.items()}}
    RESULT.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))
    return 0


def label_all(installation: Installation, world: dict[str, Any]) -> dict[str, list[tuple[bool, float]]]:
    """Return, for each kind of request, whether each label was gold, and its milliseconds."""
    web = HTTPConnection("127.0.0.1", PORT)
    claims: dict[int, float] = {}
    submissions: dict[int, float] = {}
    tokens = list(world["tokens"])
    first = set(tokens)
    while tokens:
        for token in list(tokens):
            claim, took = ask(web, token, f"/api/projects/{world['slug']}/labels/claim", {"prefetch": False})
            label = claim["label"]
            if label is None:
                tokens.remove(token)
                continue
            if token not in first:  # a labeler's first claim in a round makes the plan, gold or not
                claims[label["id"]] = took
            first.discard(token)
            body = {"idempotency_key": str(uuid4()), "finish_reason": "solution", "ratings": [1] * len(label["steps"])}
            submissions[label["id"]] = ask(web, token, f"/api/labels/{label['id']}/submit", body)[1]
    with installation.connect() as database:
        gold = {label: kind == "gold" for label, kind in database.execute(KIND_OF).fetchall()}
    return {
        name: [(gold[label], took) for label, took in rows.items()]
        for name, rows in (("claim", claims), ("submission", submissions))
    }


def ask(web: HTTPConnection, token: str, path: str, body: dict[str, Any]) -> tuple[Any, float]:
    """Return the answer, and the milliseconds from the first byte sent to the last received."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    began = time.perf_counter()
    web.request("POST", path, json.dumps(body), headers)
    response = web.getresponse()
    answer = response.read()
    took = (time.perf_counter() - began) * 1000
    if response.status != 200:
        raise RuntimeError(f"{path}: {response.status} {answer[:300]!r}")
    return json.loads(answer), took


def compare(rows: list[tuple[bool, float]]) -> dict[str, Any]:
    """Return medians, and the share of pairs in which gold took longer, with the 95 % range expected by chance."""
    gold = [took for is_gold, took in rows if is_gold]
    work = [took for is_gold, took in rows if not is_gold]
    longer = sum((one > other) + (one == other) / 2 for one in gold for other in work) / (len(gold) * len(work))
    reach = 1.96 * math.sqrt((len(rows) + 1) / (12 * len(gold) * len(work)))
    return {
        "gold": {"n": len(gold), "median_ms": round(statistics.median(gold), 2)},
        "work": {"n": len(work), "median_ms": round(statistics.median(work), 2)},
        "gold_took_longer": {
            "share": round(longer, 3),
            "low": round(longer - reach, 3),
            "high": round(longer + reach, 3),
        },
    }


if __name__ == "__main__":
    sys.exit(main())
