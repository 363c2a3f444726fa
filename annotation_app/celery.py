"""The Celery application. A message only wakes a worker: the database says what is to be done, and by whom."""

import os

from billiard.process import current_process
from celery import Celery
from celery.signals import worker_process_init
from kombu import Queue

from labeling.grading.parent_death import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_app.settings")
# Django checks settings and addresses whenever manage.py is called, so also before a new version starts. Checked here
# too, they would have every worker and the clock load the whole API.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")
# The threads of torch sleep while they wait for each other. Spinning, as is usual, a scorer that shares its processors
# with anything else was measured to be 15 times slower.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

app = Celery("stepmark")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.task_queues = (Queue("cpu"), Queue("gpu"))
app.autodiscover_tasks(["worker"])


@worker_process_init.connect
def tie_pool_process_to_its_worker(**_: object) -> None:
    """A killed worker must not leave pool processes behind that go on writing."""
    die_with_parent(current_process()._parent_pid)  # type: ignore[attr-defined]  # the stubs leave it out
