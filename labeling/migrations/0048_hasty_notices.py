"""Admins may be told of labels that took less time than anybody reads in."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0047_accepted_answers'),
    ]

    operations = [
        migrations.AlterField(
            model_name='notice',
            name='kind',
            field=models.CharField(choices=[('paused', 'Paused'), ('queue_stalled', 'Queue Stalled'), ('gold_short', 'Gold Short'), ('round_finished', 'Round Finished'), ('export_ready', 'Export Ready'), ('no_worker', 'No Worker'), ('hasty_labels', 'Hasty Labels')], max_length=20),
        ),
    ]
