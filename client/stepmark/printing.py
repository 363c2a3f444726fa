"""Output of the command line: progress on stderr, results on stdout, as text or as JSON.

Texts come from strangers' files: characters that a terminal would take for a command, or that change the direction of
writing, are shown by their numbers; within a line, nothing begins another one.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TextIO

SHOWN_PER_KIND = 5
# C0 and C1, which terminals interpret; line and paragraph separators; marks that reverse the writing direction.
COMMANDS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
Json = Mapping[str, Any]


def shown(text: object) -> str:
    """Return the text as it may be shown within a line of a terminal."""
    return COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", str(text))


def say(text: object, file: TextIO | None = None) -> None:
    """Print lines for people."""
    print("\n".join(map(shown, str(text).split("\n"))), file=file)


def print_json(value: Any) -> None:
    """Print JSON for programs."""
    whole = json.dumps(value, ensure_ascii=False, indent=2)
    say(whole)  # remaining control characters are in strings, where JSON has the same escapes


def print_rows(rows: Iterable[Iterable[Any]]) -> None:
    """Print a plain table with columns as wide as needed."""
    cells = [[shown(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)] if cells else []
    for row in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def progress(what: str) -> Callable[[Json], None] | None:
    """Return a function that shows progress on one line of a terminal; None if stderr is not a terminal."""
    if not sys.stderr.isatty():
        return None

    def tell(job: Json) -> None:
        over = job["status"] in ("succeeded", "failed", "cancelled", "labeling", "ready", "closed")
        sys.stderr.write(f"\r\x1b[K{what}: {shown(job['status'])}{_share(job)}" + ("\n" if over else ""))
        sys.stderr.flush()

    return tell


def print_import(job: Json) -> None:
    """Print the counts of an import's report, and its faults by line."""
    report = job.get("report") or {}
    format = f", read as {shown(job['format'])}" if job.get("format") else ""
    print(f"{shown(job['file_name'])}: {report.get('rows', 0):,} rows{format}")
    for name in ("problems", "traces", "verdicts", "labels", "gold", "scores"):
        if name in report:
            counts = ", ".join(f"{count:,} {word.replace('_', ' ')}" for word, count in report[name].items())
            print(shown(f"  {name}: {counts}"))
    for line in _import_remarks(report, job.get("split") or ""):
        print(shown(f"  {line}"))
    if "without_score" in report:
        print(f"  traces without a score: {report['without_score']:,}")
    print_faults(report.get("faults") or {})
    print("Imported." if report.get("imported") else "Nothing was imported.")


def _import_remarks(report: Json, split: str) -> Iterable[str]:
    """Return the remarks that an import's page shows next to the counts."""
    for one in report.get("marks", []):
        counts = f"{one['new']:,} new traces, {one['known']:,} known, {one['differing']:,} differ"
        yield f"marks of {one['source']}: {counts}"
    for met in report.get("benchmarks", []):
        yield f"{met['rows']:,} rows are from {met['name']}, a benchmark: {_where(met, split)}"
    if recorded := report.get("recorded"):
        how = "--labels-of NAME turns them into labels, --marks-of NAME into a machine's scores"
        rows = "row" if recorded == 1 else "rows"
        yield f"{recorded:,} {rows} with recorded ratings, which are kept with their traces: {how}"


def _where(met: Json, split: str) -> str:
    """Return where the problems of a benchmark's rows go. Older servers do not count rows that name their split."""
    chosen = met.get("by_split", met["rows"])
    held_out = met.get("held_out", 0 if split == "train" else met["rows"])
    told = [
        (held_out, "held out" + (" (--split train: learn from them)" if chosen and not split else "")),
        (
            chosen if split == "train" else 0,
            "new problems in the train split, as requested; problems held out before stay held out",
        ),
        (met.get("says_train", 0), "in the train split, as their `split` says; problems held out before stay held out"),
    ]
    parts = [(count, words) for count, words in told if count]
    return ", ".join(words if len(parts) == 1 else f"{count:,} {words}" for count, words in parts)


def without_rows(export: Json) -> list[str]:
    """Return why labels of an export gave no row; nothing if each gave one."""
    found = export.get("without_rows") or {"labels": 0}
    if not found["labels"]:
        return []
    reasons = {
        "no_verdict": "without a verdict",
        "no_run": "of traces that are not runs",
        "other": "with nothing to make rows of",
    }
    counts = ", ".join(f"{found[name]:,} {said}" for name, said in reasons.items() if found.get(name))
    return [f"{found['labels']:,} labels gave no row: {counts}. The format leaves out: {found['leaves_out']}"]


def print_faults(faults: Json) -> None:
    """Print faults by kind: the first few of each with line, field and what to do."""
    for kind in faults.get("kinds", []):
        print(f"  {kind['count']:,} x {shown(kind['kind'])}")
        for fault in kind["examples"][:SHOWN_PER_KIND]:
            field = f", {fault['field']}" if fault["field"] else ""
            print(shown(f"    line {fault['line']}{field}: {fault['found']} -> {fault['do']}"))


def _share(job: Json) -> str:
    told = job.get("progress") or {}
    for unit in ("bytes", "labels"):
        total = told.get(f"{unit}_total") or told.get("total")
        if total:
            return f", {100 * (told.get(f'{unit}_done') or told.get('done') or 0) // total} %"
    return ""
