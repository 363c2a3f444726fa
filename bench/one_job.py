"""One import or export in a separate process, to measure its memory alone: `-m bench.one_job import SLUG FILE`.

Prints seconds and the process's peak resident memory as JSON.
"""

import json
import os
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402  # models can be read only after the set-up

from bench.imported_scores import write_scores  # noqa: E402
from labeling.actions import exports, imported_scores, imports  # noqa: E402
from labeling.models import Project, Trace  # noqa: E402


def run_import(slug: str, file: str) -> dict[str, Any]:
    """Import a neutral file; return rows, bytes and the counts of the report."""
    project, _ = Project.objects.get_or_create(slug=slug, defaults={"name": slug})
    job = imports.record_import(
        project, by=None, path=file, file_name=os.path.basename(file), format="", dry_run=False, skip_faulty=True
    )
    done = imports.run_import(job.pk)
    if done is None or not done.report.get("imported"):
        raise RuntimeError(f"The import did not succeed: {done and (done.error or done.report)}")
    report = done.report
    return {"rows": report["rows"], "bytes": done.bytes_total, "traces": report["traces"], "faults": report["faults"]}


def run_export(slug: str, asked: str) -> dict[str, Any]:
    """Export all labels of a project as `FORMAT:CONTAINER`; return labels, rows and bytes."""
    project = Project.objects.get(slug=slug)
    format, container = asked.split(":")
    export = exports.create_export(project, by=None, format=format, container=container, wake=False)
    done = exports.run_export(export.pk)
    if done is None or done.status != "succeeded":
        raise RuntimeError(f"The export did not succeed: {done and done.error}")
    step_labels = sum(done.manifest["ratings"].values())
    return {"labels": done.labels_total, "step_labels": step_labels, "rows": done.rows, "bytes": done.bytes}


def make_scores_file(slug: str, file: str) -> dict[str, Any]:
    """Write a score for each step of each trace of a project."""
    traces = Trace.objects.filter(project__slug=slug).values_list("pk", "steps__len").iterator(chunk_size=10_000)
    return {"rows": write_scores(Path(file), traces)}


def plain_copy(slug: str, file: str) -> dict[str, Any]:
    """Copy the file's numbers into a table without index, check or join: the lower bound for an import."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE plain_score (trace_id bigint, steps real[])")
        with cursor.copy("COPY plain_score FROM STDIN") as copy, open(file) as rows:
            for line in rows:
                row = json.loads(line)
                copy.write_row((row["trace_id"], f"{{{','.join(map(repr, row['scores']))}}}"))
        cursor.execute("DROP TABLE plain_score")
    return {}


def run_scores(slug: str, file: str) -> dict[str, Any]:
    """Import a file of scores."""
    project = Project.objects.get(slug=slug)
    about: dict[str, Any] = {"path": file, "file_name": "scores.jsonl", "name": "Cluster", "fingerprint": "bench"}
    job = imported_scores.record_score_import(project, by=None, **about)
    done = imported_scores.run_score_import(job.pk)
    if done is None or not done.report.get("imported"):
        raise RuntimeError(f"The import did not succeed: {done and (done.error or done.report)}")
    return {"scores": done.report["scores"]}


KINDS = {
    "import": run_import,
    "export": run_export,
    "scores": run_scores,
    "scores_file": make_scores_file,
    "plain_copy": plain_copy,
}


def main(arguments: Sequence[str]) -> int:
    """Run the job named by the arguments KIND SLUG ARGUMENT."""
    kind, slug, argument = arguments
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    found = KINDS[kind](slug, argument)
    seconds = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({**found, "seconds": seconds, "rss_mb": after / 1024, "rss_mb_at_start": before / 1024}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
