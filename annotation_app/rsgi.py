"""The entry point of each web server process (annotation_app.server starts them).

Its event loop waits for bodies (annotation_app.server.bodies), so a request has a thread only when there is work to do.
Django works in the threads of a lane (docs/decisions/0015-bodies-before-threads.md).
"""

import asyncio
import gc
import json
import logging
import multiprocessing
import os
import resource
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, nullcontext
from io import BytesIO
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from annotation_app.fault_reports import start_fault_reports
from annotation_app.health import ALIVE, HEADERS
from annotation_app.postgres.base import limit_sessions
from annotation_app.request_ids import HEADER, new_request_id
from annotation_app.server.bodies import Body, BodyFault, FileStream, Room
from annotation_app.server.calls import answer, environ_of
from annotation_app.tracing import start_tracing
from labeling.api.long_questions import question_paths
from labeling.grading.parent_death import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_app.settings")
logger = logging.getLogger(__name__)
JSON = [("Content-Type", "application/json"), ("Cache-Control", "private, no-store")]
# Threads by purpose. A file that is arriving keeps nobody from labeling, and neither keeps a load balancer from its
# answer. Each thread that has worked keeps a connection to Postgres.
LANES = {"requests": 4, "files": 4, "checks": 1}
QUESTIONS = 2  # how many threads for requests may be busy with questions over very many rows

server = multiprocessing.parent_process()
if server is not None:  # a worker process of the web server: it must not outlive the server
    die_with_parent(server.pid)


class Application:
    """Called by granian for each request, in its event loop."""

    def __init__(self) -> None:
        start_fault_reports()
        start_tracing("web")
        self.django = get_wsgi_application()
        self.lanes = {name: ThreadPoolExecutor(size, name) for name, size in LANES.items()}
        self.room = Room()
        self.questions = asyncio.Semaphore(QUESTIONS)
        self.is_question = question_paths().match
        limit_sessions(statement_seconds=settings.WEB_STATEMENT_SECONDS, idle_seconds=settings.WEB_IDLE_SECONDS)

    async def __call__(self, scope: Any, proto: Any) -> None:
        """Wait for the body, and have Django answer in a thread. If no body arrives, send an answer of its own."""
        if scope.path == "/healthz":
            proto.response_str(200, [*JSON, *HEADERS.items()], ALIVE)
            return
        environ = environ_of(scope)
        body = Body(proto, declared_length(environ), self.room)
        del proto  # only the body holds it, and releases it when it is closed
        try:
            lane = await self.receive(environ, body)
            async with self.turn(environ["PATH_INFO"]):
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self.lanes[lane], answer, self.django, environ, body)
        except BodyFault as fault:
            refuse(body, fault)
        finally:
            body.close()

    def turn(self, path: str) -> AbstractAsyncContextManager[Any]:
        """Return what a request holds while worked on. Long questions wait for each other, so others find threads."""
        return self.questions if self.is_question(path) else nullcontext()

    async def receive(self, environ: dict[str, Any], body: Body) -> str:
        """Put the body into `environ`, and return the lane that the request takes. Raises BodyFault."""
        if body.complete:
            return "checks" if environ["PATH_INFO"] == "/readyz" else "requests"
        if is_file(environ):
            first = await body.piece()
            environ["wsgi.input"] = FileStream(body, first, asyncio.get_running_loop())
            return "requests" if body.complete else "files"
        whole = await body.whole()
        environ["wsgi.input"] = BytesIO(whole)
        environ["CONTENT_LENGTH"] = str(len(whole))
        return "requests"


def declared_length(environ: dict[str, Any]) -> int | None:
    """Return the body's length as declared by its sender; None if it comes in chunks. The web server checked both."""
    if "HTTP_TRANSFER_ENCODING" in environ:
        return None
    return int(environ.get("CONTENT_LENGTH") or 0)


def is_file(environ: dict[str, Any]) -> bool:
    """Return whether the body may be large and is stored as it arrives: a form with files for the API."""
    form = environ.get("CONTENT_TYPE", "").lower().startswith("multipart/")
    return form and environ["PATH_INFO"].startswith("/api/")


def refuse(body: Body, fault: BodyFault) -> None:
    """Send the reason if the client is still connected; the web server then closes the connection."""
    head = JSON + [("Retry-After", "5")] if fault.status == 503 else JSON
    request_id = new_request_id()
    if fault.status:
        logger.info("refused with %d %s [request %s]", fault.status, fault.code, request_id)
        said = json.dumps({"code": fault.code, "detail": fault.detail})
        body.proto.response_str(fault.status, [*head, (HEADER, request_id)], said)
    else:
        body.proto.response_empty(499, [])


def raise_file_limit() -> None:
    """Raise the limit of open files: each connection is one, and the usual 1,024 is close to what a process accepts."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


raise_file_limit()
application = Application()

# What is loaded by now stays, and a request makes few cycles: look for cycles rarely, and not in what is loaded.
gc.collect()
gc.freeze()
gc.set_threshold(50_000, 20, 20)
