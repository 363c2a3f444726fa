"""The web server: `python -m annotation_app.server --port 8000`, plus any other options of granian.

All of Django is loaded once, before the server's processes are forked. They share that memory, and a killed process
is replaced in milliseconds. Nothing that does not survive a fork may start here: no thread and no connection.
`annotation_app.rsgi` starts those in each process.
"""

import gc
import os
import sys
from importlib import import_module

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application
from granian.cli import entrypoint

# Each connection counts against `backpressure`, even one that sends nothing. Options of the call override these.
OPTIONS = ["--interface", "rsgi", "--http", "1", "--no-ws", "--workers", "2", "--backpressure", "1024"]
OPTIONS += ["--respawn-failed-workers"]


def load() -> None:
    """Load what the first request would load, and keep it apart from memory that the garbage collector writes to."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_app.settings")
    django.setup()
    import_module(settings.ROOT_URLCONF)
    get_wsgi_application()  # including everything in front of the views
    import_module("annotation_app.health")
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    try:
        load()
    except ImproperlyConfigured as fault:  # an invalid setting
        sys.exit(f"{fault}")
    sys.argv[1:1] = [*OPTIONS, "annotation_app.rsgi:application"]
    entrypoint()
