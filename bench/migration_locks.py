"""How long each migration since 0.2.0 made people wait, on tables of a million traces.

`python -m bench.migration_locks` restores the stored database of 0.2.0 (labeling/tests/upgrade), copies its rows
until there are TRACES traces, and applies one migration after another, while a separate process repeatedly reads and
changes a row of each busy table. Writes bench/results/migration_locks.json and its table in docs/operations.md.
`--report` only writes the table. If stopped by Ctrl-C while it migrates, it keeps the measurements so far; with
`--keep FOLDER` it keeps the database too, and the next run continues there and adds to the measurements.
"""

import argparse
import gzip
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import Any, cast

import psycopg

from annotation_app.local.postgres import Postgres, installed_binaries
from annotation_app.local.process import server_account
from bench.machine import machine
from bench.markdown import put_between, table
from bench.progress import say
from bench.report import PAGE as BENCHMARKS
from bench.report import RESULTS

ROOT = Path(__file__).resolve().parents[1]
DUMP = ROOT / "labeling" / "tests" / "upgrade" / "v0_2_0.sql.gz"
PAGE = BENCHMARKS.parent / "operations.md"
TRACES = int(os.environ.get("BENCH_TRACES", "1000000"))
SHIFT = 100_000  # offset of the ids from one copy to the next; larger than any id of the dump
READ_EVERY, WRITE_EVERY = 0.02, 0.1  # seconds between two statements of a probe
# Rows written in turn. Writing one row repeatedly would measure itself: while an index is built concurrently, no old
# version of a row is removed, and each statement has to pass all of them.
WRITTEN = 5_000
SLOW = 0.5  # seconds: longer waits are in the table; shorter ones may be caused by other work on the machine
CHUNK = 500  # copies per statement
# Settings while filling: this data need not survive a crash, and nobody else works at the same time.
FILLING = {"fsync": "off", "full_page_writes": "off", "autovacuum": "off", "max_wal_size": "16GB"}
# What differs between a copy and its original (k is the copy's number), and which rows are copied.
COPIES: dict[str, tuple[dict[str, str], str]] = {
    "problem": ({"text_hash": "sha256(text_hash || k::text::bytea)"}, "true"),
    "trace": ({"trace_hash": "sha256(trace_hash || k::text::bytea)", "replaced_by_id": "NULL"}, "true"),
    "task": ({}, "true"),
    "label": (
        {"supersedes_id": "NULL", "idempotency_key": "gen_random_uuid()"},
        "status IN ('submitted', 'ruling', 'superseded', 'expired')",
    ),
    "steplabel": (
        {"carried_from_id": "NULL"},
        "completion_id IS NULL AND label_id IN (SELECT id FROM labeling_label WHERE id < {shift} AND {label})",
    ),
    "score": ({}, "true"),
}
MOVED = {"id", "problem_id", "trace_id", "task_id", "label_id"}
PROBED = ("trace", "task", "label", "round", "project", "user")
FEW_ROWS = {"round", "project", "user"}  # here a writer waits for the table alone, and changes nothing
# Without constraints that a foreign key refers to.
UNIQUE_CONSTRAINTS = """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint AS own
    WHERE contype = 'u' AND conrelid::regclass::text = ANY(%s)
    AND NOT EXISTS (SELECT FROM pg_constraint AS other WHERE other.contype = 'f' AND other.conindid = own.conindid)
"""
PLAIN_INDEXES = """
    SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
    WHERE indrelid::regclass::text = ANY(%s) AND NOT indisprimary
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
"""
Wait = tuple[str, str, float, float]  # table, read or write, begin and end by time.monotonic, shared across processes


@contextmanager
def server(keep: Path | None) -> Iterator[Postgres]:
    """Start a PostgreSQL as `make demo` sets it up, in a folder that is removed at the end unless it is to be kept."""
    root = keep or Path(tempfile.mkdtemp(prefix="stepmark-bench-", dir="/tmp"))
    root.mkdir(exist_ok=True)
    root.chmod(0o711)
    postgres = Postgres(root / "postgres", "bench", server_account())
    try:
        postgres.start(600)  # after a kill, it must replay everything written since
        yield postgres
    finally:
        postgres.stop()
        if not keep:
            shutil.rmtree(root, ignore_errors=True)


def load(url: str) -> None:
    """Load the database of 0.2.0."""
    command = [str(installed_binaries() / "bin" / "psql"), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", url]
    subprocess.run(command, input=gzip.decompress(DUMP.read_bytes()), check=True, stdout=subprocess.DEVNULL)


def multiply(database: psycopg.Connection[Any]) -> dict[str, int]:
    """Copy all rows until there are enough traces; return the number of rows."""
    for name, value in FILLING.items():
        database.execute(f"ALTER SYSTEM SET {name} = '{value}'")
    database.execute("SELECT pg_reload_conf()")
    database.execute("SET session_replication_role = replica")  # every row that a copy refers to is copied too
    database.execute("SET maintenance_work_mem = '1GB'")
    made_anew = without_indexes(database)
    copies = -(-TRACES // count(database, "trace")) - 1
    for name, (otherwise, which) in COPIES.items():
        statement = copying(database, name, otherwise, which.format(shift=SHIFT, label=COPIES["label"][1]))
        for begin in range(1, copies + 1, CHUNK):
            database.execute(statement, [begin, min(begin + CHUNK - 1, copies)])
        say(f"{name}: {count(database, name):,} rows")
    for statement in made_anew:
        database.execute(statement)
    database.execute("SET session_replication_role = origin")
    say("indexes made")
    database.execute("VACUUM ANALYZE")
    say("analyzed")
    for name in FILLING:
        database.execute(f"ALTER SYSTEM RESET {name}")
    database.execute("SELECT pg_reload_conf()")
    database.execute("CHECKPOINT")  # writes left over from filling must not slow down the measurement
    return {name: count(database, name) for name in COPIES}


def without_indexes(database: psycopg.Connection[Any]) -> list[str]:
    """Drop all indexes of the filled tables except their keys; return the statements that recreate them.

    Filling ten million traces into indexes on scattered hashes takes hours; creating the indexes later takes minutes.
    """
    tables = [f"labeling_{name}" for name in COPIES]
    constraints = database.execute(UNIQUE_CONSTRAINTS, [tables]).fetchall()
    for table_name, name, _ in constraints:
        database.execute(f'ALTER TABLE {table_name} DROP CONSTRAINT "{name}"')
    indexes = database.execute(PLAIN_INDEXES, [tables]).fetchall()
    for name, _ in indexes:
        database.execute(f'DROP INDEX "{name}"')
    again = [f'ALTER TABLE {of} ADD CONSTRAINT "{name}" {definition}' for of, name, definition in constraints]
    return [*(definition for _, definition in indexes), *again]


def copying(database: psycopg.Connection[Any], name: str, otherwise: dict[str, str], which: str) -> str:
    """Return the statement that copies the rows of one table."""
    asked = "SELECT column_name FROM information_schema.columns WHERE table_name = %s AND is_generated = 'NEVER'"
    columns = [column for (column,) in database.execute(asked, [f"labeling_{name}"])]
    moved = MOVED & set(columns)
    values = [otherwise.get(one, f"r.{one} + k * {SHIFT}" if one in moved else f"r.{one}") for one in columns]
    first = "id" if "id" in columns else "trace_id"
    where = f"{first} < {SHIFT} AND {which}"
    quoted = ", ".join(f'"{one}"' for one in columns)
    return (
        f"INSERT INTO labeling_{name} ({quoted}) SELECT {', '.join(values)}"
        f" FROM (SELECT * FROM labeling_{name} WHERE {where}) r, generate_series(%s::bigint, %s::bigint) k"
    )


def count(database: psycopg.Connection[Any], name: str) -> int:
    """Count the rows of a table."""
    row = database.execute(f"SELECT count(*) FROM labeling_{name}").fetchone()
    return int(row[0]) if row else 0


def probe(url: str, begun: Any, over: Any, told: Any) -> None:
    """Probe each busy table with a thread for reads and one for writes until `over`. Runs in a separate process."""
    waits: list[Wait] = []

    def ask(name: str, kind: str, pause: float, statement: str, rows: Sequence[int]) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            for row in cycle(rows):
                if over.wait(pause):
                    return
                began = time.monotonic()
                connection.execute(statement, [row])
                waits.append((name, kind, began, time.monotonic()))

    threads = []
    for name in PROBED:
        first = f"SELECT id FROM labeling_{name} ORDER BY id LIMIT {1 if name in FEW_ROWS else WRITTEN}"
        with psycopg.connect(url) as connection:
            rows = [row[0] for row in connection.execute(first)]
        read, write = (
            f"SELECT id FROM labeling_{name} WHERE id = %s",
            f"UPDATE labeling_{name} SET id = id WHERE id = %s",
        )
        threads += [
            threading.Thread(target=ask, args=(name, "read", READ_EVERY, read, rows)),
            threading.Thread(target=ask, args=(name, "write", WRITE_EVERY, write, [-1] if name in FEW_ROWS else rows)),
        ]
    for thread in threads:
        thread.start()
    begun.set()
    for thread in threads:
        thread.join()
    told.put(waits)


@contextmanager
def probed(url: str) -> Iterator[Callable[[], list[Wait]]]:
    """Simulate people at work; yield a function that ends this and returns how long each statement took."""
    processes = multiprocessing.get_context("spawn")
    begun, over, told = processes.Event(), processes.Event(), processes.Queue()
    process = processes.Process(target=probe, args=(url, begun, over, told))
    process.start()
    begun.wait(60)

    def end() -> list[Wait]:
        over.set()
        waits: list[Wait] = told.get(timeout=600)
        process.join()
        return waits

    yield end


def migrate(url: str, done: list[dict[str, Any]]) -> None:
    """Apply every missing migration with today's code; add its name, and when it began and ended, to `done`."""
    settings = {"DATABASE_URL": url, "OWNER_DATABASE_URL": url, "REDIS_URL": "redis://127.0.0.1:1/0"}
    settings |= {"STEPMARK_ENV": "development", "ENV_FILE": "/dev/null", "DATA_DIR": str(ROOT / "var" / "tools")}
    settings |= {"SECRET_KEY": "only-for-tools-0123456789-abcdefghijklmnopqrstuvwxyz"}
    os.environ.update(settings, DJANGO_SETTINGS_MODULE="annotation_app.settings")
    import django  # noqa: PLC0415  (reads the settings above)

    django.setup()
    from django.db import connection  # noqa: PLC0415
    from django.db.migrations.executor import MigrationExecutor  # noqa: PLC0415

    def hear(action: str, migration: Any = None, _fake: bool = False) -> None:
        if action == "apply_start":
            done.append({"name": migration.name, "began": time.monotonic()})
        elif action == "apply_success":
            done[-1]["ended"] = time.monotonic()
            say(f"{migration.name}: {done[-1]['ended'] - done[-1]['began']:.1f} s")

    executor = MigrationExecutor(connection, cast(Any, hear))
    executor.migrate(executor.loader.graph.leaf_nodes())


def longest(waits: list[Wait], kind: str, began: float, ended: float) -> dict[str, Any]:
    """Return the longest wait of a kind that fell mostly within a time span, and its table."""
    of_a_kind = [one for one in waits if one[1] == kind]
    inside = [one for one in of_a_kind if min(one[3], ended) - max(one[2], began) > (one[3] - one[2]) / 2]
    worst = max(inside, key=lambda one: one[3] - one[2], default=("", kind, 0.0, 0.0))
    return {"table": worst[0], "seconds": worst[3] - worst[2]}


def measure(keep: Path | None, before: dict[str, Any]) -> dict[str, Any]:
    """Return row counts, and for each migration how long it took and how long readers and writers waited."""
    with server(keep) as postgres:
        with psycopg.connect(postgres.url, autocommit=True) as database:
            row = database.execute("SELECT to_regclass('labeling_trace') IS NOT NULL").fetchone()
            goes_on = bool(row and row[0])
        if not goes_on:
            load(postgres.url)
            before = {"migrations": [], **filled(postgres.url)}
        done: list[dict[str, Any]] = []
        with probed(postgres.url) as end:
            try:
                migrate(postgres.url, done)
            except KeyboardInterrupt:
                done[-1] |= {"ended": time.monotonic(), "stopped": True}
                say("stopped")
            waits = end()
    told = []
    for one in done:
        span = (one["began"], one["ended"])
        both = {kind: longest(waits, kind, *span) for kind in ("read", "write")}
        told.append({"name": one["name"], "seconds": span[1] - span[0], "stopped": "stopped" in one, **both})
    return {**before, "migrations": [*before["migrations"], *told]}


def filled(url: str) -> dict[str, Any]:
    """Make the copies; return the number of rows and the size of the database."""
    with psycopg.connect(url, autocommit=True) as database:
        rows = multiply(database)
        row = database.execute("SELECT pg_database_size(current_database())").fetchone()
    return {"rows": rows, "bytes": row[0] if row else 0}


def report(found: dict[str, Any]) -> list[str]:
    """Return the lines for docs/operations.md."""
    stopped = [one for one in found["migrations"] if one.get("stopped")]
    whole = [one for one in found["migrations"] if not one.get("stopped")]
    slow = [one for one in whole if longest_wait(one) >= SLOW]
    rows = [
        (
            f"`{one['name']}`",
            f"{one['seconds']:.1f} s",
            *(f"{one[kind]['seconds']:.2f} s ({one[kind]['table']})" for kind in ("read", "write")),
        )
        for one in sorted(slow, key=lambda one: one["name"])
    ]
    others = [one for one in whole if one not in slow]
    seconds = max((one["seconds"] for one in others), default=0.0)
    of, where = found["rows"], found["machine"]
    return [
        "",
        f"Measured {found['measured_at'][:10]} with {of['trace']:,} traces, {of['label']:,} labels and"
        f" {of['steplabel']:,} rated steps ({found['bytes'] / 1e9:.1f} GB) by `python -m bench.migration_locks`, on"
        f" {where['cores']} cores that others used as well (load {where['load_before']}):",
        "",
        *table(("migration since 0.2.0", "took", "longest wait of a reader (table)", "of a writer (table)"), rows),
        "",
        f"During the other {len(others)} nobody waited {SLOW:.1f} s; the longest of them took {seconds:.1f} s.",
        *(
            f"`{one['name']}` was stopped after {one['seconds'] / 60:.0f} minutes; until then nobody had waited longer"
            f" than {longest_wait(one):.2f} s."
            for one in stopped
        ),
        "",
    ]


def longest_wait(one: dict[str, Any]) -> float:
    """Return the longest wait of readers and writers in seconds."""
    return float(max(one["read"]["seconds"], one["write"]["seconds"]))


def main(arguments: list[str]) -> None:
    """Measure, save the result, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.migration_locks", description=__doc__.splitlines()[0])
    parser.add_argument("--report", action="store_true", help="the table, from the results that there are")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the database there, and go on with it")
    asked = parser.parse_args(arguments)
    file = RESULTS / "migration_locks.json"
    if not asked.report:
        found = {"measured_at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine()}
        before = json.loads(file.read_text())
        seen = {name: before[name] for name in ("migrations", "rows", "bytes")}
        file.write_text(json.dumps({**measure(asked.keep, seen), **found}, indent=1) + "\n")
    lines = report(json.loads(file.read_text()))
    put_between(PAGE, "<!-- locks: bench/migration_locks.py -->", "<!-- end of locks -->", lines)


if __name__ == "__main__":
    main(sys.argv[1:])
