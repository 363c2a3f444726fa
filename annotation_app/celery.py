"""The Celery application. A message only wakes a worker: the database decides what is to be done, and by whom."""

import gc
import os
from typing import Any

from billiard.process import current_process
from celery import Celery
from celery.signals import (
    before_task_publish,
    setup_logging,
    task_postrun,
    task_prerun,
    worker_before_create_process,
    worker_process_init,
)
from kombu import Queue

from annotation_app.beat import WITH_CLOCK, ClockInWorker
from annotation_app.fault_reports import start_fault_reports
from annotation_app.request_ids import current_request_id, work_for
from annotation_app.tracing import start_tracing
from labeling.grading.parent_death import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_app.settings")
# Django checks settings and addresses whenever manage.py is called, so also before a new version starts. With these
# checks here, too, every worker and the clock would load the whole API.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")
# Torch's threads sleep while they wait for each other. With the usual spinning, a scorer that shares its processors
# with anything else was measured to be 15 times slower.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

REQUEST_ID = "stepmark_request_id"  # a header of messages: the id of the request that asked for the work

app = Celery("stepmark")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.task_queues = (Queue("cpu"), Queue("gpu"))
app.autodiscover_tasks(["worker"])
app.user_options["worker"].add(WITH_CLOCK)
app.steps["worker"].add(ClockInWorker)


@worker_before_create_process.connect
def share_what_is_loaded(**_: object) -> None:
    """Freeze what is loaded. The collector would write into every object shared with a pool process, and so copy it."""
    gc.collect()
    gc.freeze()


@worker_process_init.connect
def tie_pool_process_to_its_worker(**_: object) -> None:
    """Make a pool process end with its worker: a killed worker must not leave processes that go on writing."""
    die_with_parent(current_process()._parent_pid)  # type: ignore[attr-defined]  # the stubs leave it out


@worker_process_init.connect
def tell_whoever_watches(**_: object) -> None:
    """Start reports and traces in each process of a pool: what sends them does not survive a fork."""
    start_fault_reports()
    start_tracing("worker")


@setup_logging.connect
def keep_our_log_lines(**_: object) -> None:
    """Connected so that Celery does not set up its own logging: LOG_FORMAT and the redaction of secrets still apply."""


@before_task_publish.connect
def name_what_is_asked(headers: dict[str, Any], **_: object) -> None:
    """Pass the request's id on to work that the request asks for, and to work that such work asks for."""
    if request_id := current_request_id():
        headers[REQUEST_ID] = request_id


@task_prerun.connect
def work_for_its_request(task: Any, **_: object) -> None:
    """Make log lines of a task name the request that asked for it."""
    work_for(getattr(task.request, REQUEST_ID, None) or "")


@task_postrun.connect
def work_for_nobody(**_: object) -> None:
    """Clear the request: a sign of life between two tasks belongs to none."""
    work_for("")
