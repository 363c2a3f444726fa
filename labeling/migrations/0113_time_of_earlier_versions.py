"""A label knows how long its earlier versions were read: a correction of a moment made it a hasty one.

What a process of the version before writes meanwhile says 0, as it always counted.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0112_words_of_help_texts"),
    ]

    operations = [
        migrations.AddField(
            model_name="label",
            name="earlier_ms",
            field=models.BigIntegerField(
                db_default=0,
                default=0,
                help_text="The active time of the versions that it supersedes; not in active_ms.",
            ),
        ),
    ]
