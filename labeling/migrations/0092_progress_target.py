from django.db import migrations, models


class Migration(migrations.Migration):
    """A longer varchar rewrites no table."""

    dependencies = [
        ("labeling", "0091_label_changes"),
    ]

    operations = [
        migrations.AlterField(
            model_name="trainingrun",
            name="target",
            field=models.CharField(
                choices=[("steps", "Steps"), ("outcome", "Outcome"), ("progress", "Progress")],
                default="steps",
                max_length=8,
            ),
        ),
    ]
