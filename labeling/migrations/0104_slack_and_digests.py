"""Webhooks may be sent what Slack takes. Notices may tell of a week: its name alone, nothing in the table changes."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0103_invitations_by_name'),
    ]

    operations = [
        migrations.AddField(
            model_name='webhook',
            name='format',
            field=models.CharField(choices=[('standard', 'All that is said, signed as Standard Webhooks have it'), ('slack', "A text, as Slack's incoming webhooks take it")], db_default='standard', default='standard', max_length=10),
        ),
        migrations.AlterField(
            model_name='notice',
            name='kind',
            field=models.CharField(choices=[('paused', 'Paused'), ('queue_stalled', 'Queue Stalled'), ('gold_short', 'Gold Short'), ('round_finished', 'Round Finished'), ('export_ready', 'Export Ready'), ('no_worker', 'No Worker'), ('hasty_labels', 'Hasty Labels'), ('invited', 'Invited'), ('digest', 'Digest')], max_length=20),
        ),
    ]
