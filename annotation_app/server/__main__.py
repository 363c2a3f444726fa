"""The web server: `python -m annotation_app.server --port 8000`, plus any other options of granian.

All of Django is loaded once, before the server's processes are forked: they have that memory in common, and one that
was killed is replaced in milliseconds. Nothing that does not outlive a fork may begin here, no thread and no connection
(what does begins with `annotation_app.rsgi`, in each process).
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

# Each connection counts against `backpressure`, also one on which nothing comes. What is said at the call goes before.
OPTIONS = ["--interface", "rsgi", "--http", "1", "--no-ws", "--workers", "2", "--backpressure", "1024"]
OPTIONS += ["--respawn-failed-workers"]


def load() -> None:
    """What the first request would load, set apart from what the collector writes into."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_app.settings")
    django.setup()
    import_module(settings.ROOT_URLCONF)
    get_wsgi_application()  # with all that stands before the views
    import_module("annotation_app.health")
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    try:
        load()
    except ImproperlyConfigured as fault:  # a setting that will not do
        sys.exit(f"{fault}")
    sys.argv[1:1] = [*OPTIONS, "annotation_app.rsgi:application"]
    entrypoint()
