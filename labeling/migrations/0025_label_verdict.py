from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0001_version_0_1_0"),
    ]

    operations = [
        migrations.AddField(
            model_name="label",
            name="verdict",
            field=models.IntegerField(
                help_text="Where the label says the trace first goes wrong: a step from 0, -1 = no error; null: it does not say (bad problem, gave up, unfinished). As finish_reason it stays while the label is reopened.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="triageitem",
            name="verdict",
            field=models.IntegerField(help_text="Of the review, as a label's: a step, -1 = no error.", null=True),
        ),
    ]
