"""Registers the domain as a Django app."""

from importlib import import_module

from django.apps import AppConfig


class LabelingConfig(AppConfig):
    name = "labeling"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Whoever can read models can send a task: to the broker of our Celery application, not of Celery's default."""
        import_module("annotation_app.celery")
