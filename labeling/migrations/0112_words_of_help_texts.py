"""Two help texts in other words. Nothing in the tables changes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0111_words_waited_one_by_one"),
    ]

    operations = [
        migrations.AlterField(
            model_name="importjob",
            name="as_gold",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Each row's trace becomes gold, with the row's first error.",
            ),
        ),
        migrations.AlterField(
            model_name="membership",
            name="run_since",
            field=models.DateTimeField(
                help_text="Gold results before it no longer count for labeler quality.", null=True
            ),
        ),
    ]
