"""The wiring: settings, routes and processes. What Stepmark does lives in `labeling`."""

from annotation_app.celery import app as celery_app

__all__ = ["celery_app"]
