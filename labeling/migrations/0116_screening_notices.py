"""A screening that was not passed, and what an admin decided then, is told of."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0115_rulings_can_be_withdrawn'),
    ]

    operations = [
        migrations.AlterField(
            model_name='notice',
            name='kind',
            field=models.CharField(choices=[('paused', 'Paused'), ('queue_stalled', 'Queue Stalled'), ('gold_short', 'Gold Short'), ('round_finished', 'Round Finished'), ('export_ready', 'Export Ready'), ('no_worker', 'No Worker'), ('hasty_labels', 'Hasty Labels'), ('screening', 'Screening'), ('invited', 'Invited'), ('digest', 'Digest')], max_length=20),
        ),
    ]
