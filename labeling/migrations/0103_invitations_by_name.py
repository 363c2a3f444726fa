"""An invitation may name somebody by their user name, who then hears of it."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0101_training_at_close'),
    ]

    operations = [
        migrations.AddField(
            model_name='invitation',
            name='invitee',
            field=models.ForeignKey(help_text='Whose name that is; told to nobody else.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='invitation',
            name='told_at',
            field=models.DateTimeField(help_text='When the invitee was told of it.', null=True),
        ),
        migrations.AddField(
            model_name='invitation',
            name='username',
            field=models.CharField(blank=True, db_default='', default='', help_text='Whom it is for, as it was typed.', max_length=150),
        ),
        migrations.AlterField(
            model_name='notice',
            name='kind',
            field=models.CharField(choices=[('paused', 'Paused'), ('queue_stalled', 'Queue Stalled'), ('gold_short', 'Gold Short'), ('round_finished', 'Round Finished'), ('export_ready', 'Export Ready'), ('no_worker', 'No Worker'), ('hasty_labels', 'Hasty Labels'), ('invited', 'Invited')], max_length=20),
        ),
    ]
