"""A gold plan knows over how many tasks its gold is spread, so that it can be spread anew; plans of before stay as they
are."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("labeling", "0045_api_tokens_end_and_may_only_read")]

    operations = [
        migrations.AddField(
            "goldplan",
            "until",
            models.IntegerField(
                db_default=0, default=0, help_text="The tasks over which the positions are spread; 0: they stay as they are."
            ),
        ),
        migrations.AddField(
            "goldplan",
            "since",
            models.IntegerField(
                db_default=0,
                default=0,
                help_text="How many tasks the round's other labelers had been served when it was made.",
            ),
        ),
    ]
