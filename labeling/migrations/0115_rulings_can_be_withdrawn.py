"""A ruling knows what its task was before it, so that it can be taken back; until now those of label audits alone did.

What a process of the version before writes meanwhile says nothing: the round tells then how many labels were wanted.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0114_fill_time_of_earlier_versions"),
    ]

    operations = [
        migrations.AddField(
            model_name="label",
            name="before_ruling",
            field=models.JSONField(
                null=True,
                help_text="Of a ruling: what its task was before anybody ruled (labeling.actions.reviews), to take it back.",
            ),
        ),
        migrations.AlterField(
            model_name="labelaudititem",
            name="before",
            field=models.JSONField(
                default=dict,
                help_text="What the ruling changed, of versions up to 0.2.0; now it stands in Label.before_ruling.",
            ),
        ),
    ]
