"""A close may begin a training on all labels. It is off in the projects that there are: nobody was asked."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0100_chunks_hold_traces"),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="trains_at_close",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="When a round closes, a PRM is trained on all labels. New projects have it on (create_project).",
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="training",
            field=models.ForeignKey(
                help_text="Which its close began.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="closes",
                to="labeling.trainingrun",
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="training_due",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="It was closed, and the training on all labels has not begun yet.",
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="training_error",
            field=models.TextField(
                blank=True, db_default="", default="", help_text="Why no training began at its close."
            ),
        ),
    ]
