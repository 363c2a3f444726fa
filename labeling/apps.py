"""Registers the domain as a Django app."""

from importlib import import_module

from django.apps import AppConfig


class LabelingConfig(AppConfig):
    name = "labeling"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Load our Celery application, so that anything that can read models sends tasks to its broker, not Celery's
        default.
        """
        import_module("annotation_app.celery")
