"""An import or export in a separate process, for `bench.against_version`: `-m bench.version_jobs KIND SLUG WHAT`.

Uses only what every version since 0.1.0 has.
"""

import json
import os
import sys
import time
from collections.abc import Sequence
from typing import Any

import django

django.setup()

from labeling.actions import exports, imports  # noqa: E402  # models can be read only after the set-up
from labeling.models import Project  # noqa: E402


def run_import(slug: str, file: str) -> dict[str, Any]:
    """Import a file of any format into the project of that name, created if needed; return the number of rows."""
    project, _ = Project.objects.get_or_create(slug=slug, defaults={"name": slug})
    name = os.path.basename(file)
    job = imports.record_import(
        project, by=None, path=file, file_name=name, format="", dry_run=False, skip_faulty=False
    )
    done = imports.run_import(job.pk)
    if done is None or not done.report.get("imported"):
        raise RuntimeError(f"The import did not succeed: {done and (done.error or done.report)}")
    return {"rows": done.report["rows"]}


def run_export(slug: str, format: str) -> dict[str, Any]:
    """Export all labels of a project; return the number of rows."""
    export = exports.create_export(Project.objects.get(slug=slug), by=None, format=format, wake=False)
    done = exports.run_export(export.pk)
    if done is None or done.status != "succeeded":
        raise RuntimeError(f"The export did not succeed: {done and done.error}")
    return {"rows": done.rows}


def main(arguments: Sequence[str]) -> int:
    """Run the job named by the arguments KIND SLUG WHAT."""
    kind, slug, what = arguments
    began, cpu = time.perf_counter(), time.process_time()
    found = {"import": run_import, "export": run_export}[kind](slug, what)
    spent = {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - cpu}
    print(json.dumps({**found, **spent}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
