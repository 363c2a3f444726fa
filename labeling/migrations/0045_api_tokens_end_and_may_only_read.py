"""API tokens may end by themselves, and may be made to read only. Both columns are added without touching a row."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("labeling", "0044_statistics_sooner")]

    operations = [
        migrations.AddField(
            "apitoken",
            "expires_at",
            models.DateTimeField(help_text="Null: it never ends by itself.", null=True),
        ),
        migrations.AddField(
            "apitoken",
            "read_only",
            models.BooleanField(db_default=False, default=False, help_text="It changes nothing."),
        ),
    ]
