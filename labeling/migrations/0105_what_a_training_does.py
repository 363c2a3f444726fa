"""A training says what it is doing: a column with a default of its own, which old processes need not name."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0104_slack_and_digests'),
    ]

    operations = [
        migrations.AddField(
            model_name='trainingrun',
            name='doing',
            field=models.JSONField(db_default={}, default=dict, help_text='While a worker has it: {what, done, total, since, per_second}; see labeling.actions.training_log.'),
        ),
    ]
