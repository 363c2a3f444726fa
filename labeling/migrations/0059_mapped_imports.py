from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0058_imported_scores"),
    ]

    operations = [
        migrations.AddField(
            model_name="importjob",
            name="head",
            field=models.JSONField(
                db_default=[],
                default=list,
                help_text="The first rows, as long as nothing of the file was imported.",
            ),
        ),
        migrations.AddField(
            model_name="importjob",
            name="mapping",
            field=models.JSONField(
                db_default={},
                default=dict,
                help_text="Which column is what, where the format is columns of one's own.",
            ),
        ),
        migrations.AddField(
            model_name="importjob",
            name="marks_of",
            field=models.CharField(
                blank=True,
                db_default="",
                help_text="The machine source whose marks step labels become; empty: the one that the format names, if any.",
                max_length=100,
            ),
        ),
    ]
