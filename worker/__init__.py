"""Celery tasks: the edges between the broker and `labeling.actions`. The web process never imports this package."""
