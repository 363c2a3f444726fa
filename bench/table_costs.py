"""The disk space of a row, and how long each kind of migration keeps a writer waiting.

`python -m bench.table_costs` fills a project, and writes bench/results/table_costs.json and docs/growth.md.
"""

import json
import threading
import time
from datetime import UTC, datetime
from typing import Any

from bench import growth
from bench.installation import Installation, fresh_installation
from bench.machine import machine
from bench.progress import say
from bench.report import RESULTS

TASKS = 200_000
COUNTED = ("problem", "trace", "task", "label", "steplabel", "score")
SIZES = """
    SELECT (SELECT count(*) FROM labeling_{0}), pg_relation_size('labeling_{0}') + coalesce(pg_relation_size(
        (SELECT reltoastrelid FROM pg_class WHERE oid = 'labeling_{0}'::regclass AND reltoastrelid <> 0)), 0),
        pg_indexes_size('labeling_{0}')
"""
WRITE = "UPDATE labeling_label SET total_ms = total_ms WHERE id = (SELECT min(id) FROM labeling_label)"
# One of each kind of change that our migrations consist of, on the table of labels; the others are for comparison.
CHANGE = "ALTER TABLE labeling_label "
KINDS = {
    "a column that may be null, or has a default in the database": f"{CHANGE} ADD bench_a int DEFAULT 0 NOT NULL",
    "a rule, not checked yet (NOT VALID)": f"{CHANGE} ADD CONSTRAINT bench_b CHECK (total_ms >= 0) NOT VALID",
    "the rule checked (VALIDATE)": f"{CHANGE} VALIDATE CONSTRAINT bench_b",
    "an index, CONCURRENTLY": "CREATE INDEX CONCURRENTLY bench_c ON labeling_label (total_ms, id)",
    "a column filled in batches of 10,000": "batches",
    "for comparison: a rule at once": f"{CHANGE} ADD CONSTRAINT bench_d CHECK (active_ms >= 0)",
    "for comparison: an index at once": "CREATE INDEX bench_e ON labeling_label (active_ms, id)",
    "for comparison: a column filled at once": "UPDATE labeling_label SET bench_a = 1",
}
BATCH = 10_000


def measure(installation: Installation) -> dict[str, Any]:
    """Return bytes per row of each table, and seconds by kind of migration."""
    installation.run("bench.fill", "--tasks", str(TASKS), "--annotators", "50", "--labeled")
    with installation.connect() as database:
        rows = {}
        for name in COUNTED:
            count, table, indexes = database.execute(SIZES.format(name)).fetchone() or (1, 0, 0)
            rows[name] = {"rows": count, "table": table / count, "indexes": indexes / count}
            say(f"{name}: {count:,} rows, {table / count:.0f} + {indexes / count:.0f} bytes each")
    return {"tasks": TASKS, "rows": rows, "migrations": [migrate(installation, *kind) for kind in KINDS.items()]}


def migrate(installation: Installation, kind: str, statement: str) -> dict[str, Any]:
    """Run a migration while a writer repeatedly updates one label; return the writer's longest wait."""
    waits: list[float] = []
    over = threading.Event()

    def write() -> None:
        with installation.connect() as writer:
            while not over.wait(0.01):
                began = time.perf_counter()
                writer.execute(WRITE)
                waits.append(time.perf_counter() - began)

    thread = threading.Thread(target=write)
    thread.start()
    time.sleep(0.5)
    calm = max(waits)
    began = time.perf_counter()
    with installation.connect() as database:
        if statement == "batches":
            fill_in_batches(database)
        else:
            database.execute(statement)
    seconds = time.perf_counter() - began
    over.set()
    thread.join()
    say(f"{kind}: {seconds:.2f} s, a writer waited {max(waits):.3f} s (without it {calm:.3f})")
    return {"kind": kind, "seconds": seconds, "longest_wait": max(waits), "without": calm}


def fill_in_batches(database: Any) -> None:
    """Fill the column by ranges of ids, each in its own transaction."""
    first, last = database.execute("SELECT min(id), max(id) FROM labeling_label").fetchone()
    for begin in range(first, last + 1, BATCH):
        database.execute("UPDATE labeling_label SET bench_a = 2 WHERE id >= %s AND id < %s", [begin, begin + BATCH])


def main() -> None:
    """Measure, save the result, and write the page."""
    with fresh_installation() as installation:
        found = {"measured_at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine()}
        found |= measure(installation)
    (RESULTS / "table_costs.json").write_text(json.dumps(found, indent=1) + "\n")
    growth.write()


if __name__ == "__main__":
    main()
