"""A worker: `python -m worker --queues cpu`, plus any other options of `celery worker`.

Celery's own command first loads all its other commands, including a shell: each worker would take a quarter of a second
longer to start and use 12 MB more.
"""

from celery.bin.base import CLIContext
from celery.bin.worker import worker

from annotation_app.celery import app


def main() -> None:
    """Run until told to stop. Options and `CELERY_WORKER_…` variables are those of `celery worker`."""
    worker.params.extend(app.user_options["worker"])
    started_by = CLIContext(app=app, no_color=False, workdir=None)
    worker.main(prog_name="python -m worker", obj=started_by, auto_envvar_prefix="CELERY_WORKER")


if __name__ == "__main__":
    main()
