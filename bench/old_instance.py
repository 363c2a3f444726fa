"""Fills an installation with 23 projects, each with its own problems and traces: `python -m bench.old_instance`."""

import json
import sys

import django

django.setup()

from django.db import connection, transaction  # noqa: E402  # models can be read only after the set-up

from bench.fill import FILL_PROBLEMS, FILL_TRACES, STEPS, UNCHECKED  # noqa: E402
from labeling.models import Project  # noqa: E402

PROJECTS = 23
TRACES = 20_000  # of each, and the same number of problems


def main() -> int:
    """Create the traces and print their number as JSON."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(UNCHECKED)
        for number in range(PROJECTS):
            project = Project.objects.create(slug=f"old-{number}", name=f"Old {number}")
            sizes = {"project": project.pk, "problems": TRACES, "each": 1, "steps": STEPS}
            cursor.execute(FILL_PROBLEMS, sizes)
            cursor.execute(FILL_TRACES, sizes)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    print(json.dumps({"traces": PROJECTS * TRACES}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
