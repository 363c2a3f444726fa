"""Checks what was there before the constraint, under a lock that keeps nobody from labeling."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0026_fill_verdicts"),
    ]

    operations = [
        ValidateConstraint(model_name="label", name="verdict_fits_the_finish_reason"),
    ]
