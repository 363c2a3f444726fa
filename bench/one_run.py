"""A project with one long agent run: `-m bench.one_run FILE`, in the environment of the installation.

Imports the file in this process, opens a round and creates an annotator (BENCH_PASSWORD). Prints time and memory as
JSON.
"""

import json
import os
import resource
import sys
import time
from pathlib import Path

import django

django.setup()

from labeling.actions import imports, rounds  # noqa: E402  # models can be read only after the set-up
from labeling.models import Membership, Project, Trace, User  # noqa: E402


def main(file: str) -> None:
    """Import the run, open a round, create a labeler, and print the figures."""
    slug = Path(file).stem
    project = Project.objects.create(slug=slug, name="A long run", gold_per_round=0)
    begun = time.perf_counter()
    name = Path(file).name
    job = imports.record_import(
        project, by=None, path=file, file_name=name, format="", dry_run=False, skip_faulty=False
    )
    done = imports.run_import(job.pk)
    if done is None or not done.report.get("imported"):
        raise RuntimeError(f"The import did not succeed: {done and (done.error or done.report)}")
    seconds = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    person = User.objects.create_user(f"{slug}-annotator", password=os.environ["BENCH_PASSWORD"])
    Membership.objects.create(project=project, user=person, role=Membership.Role.ANNOTATOR)
    rounds.open_round(project, by=None)
    about = {"slug": project.slug, "username": person.username, "bytes": done.bytes_total}
    units = len(Trace.objects.get(project=project).steps)
    print(json.dumps({**about, "units": units, "seconds": seconds, "memory_mb": peak}))


if __name__ == "__main__":
    main(sys.argv[1])
