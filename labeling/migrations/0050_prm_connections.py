"""PRMs can be connected in the browser: what workers see, what a PRM learned from, and traces it was tried on."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import labeling.models.step_scorers
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0049_recorded_verdicts'),
    ]

    operations = [
        migrations.AddField(
            model_name='stepscorer',
            name='learned_from',
            field=models.CharField(blank=True, db_default='', help_text='What it was trained on, as a person said it. Empty: unknown.', max_length=300),
        ),
        migrations.AddField(
            model_name='workerheartbeat',
            name='models_found',
            field=models.JSONField(db_default=[], default=list, help_text='The folders under MODELS_DIR that a worker of the queue gpu sees.'),
        ),
        migrations.CreateModel(
            name='PrmTrial',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('succeeded', 'Succeeded'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=10)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('lease_token', models.UUIDField(null=True)),
                ('leased_until', models.DateTimeField(null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('cancel_requested', models.BooleanField(default=False)),
                ('error', models.TextField(blank=True)),
                ('problem', models.TextField()),
                ('steps', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('expected', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), help_text="Per step what the model's card says.", null=True, size=None)),
                ('scores', django.contrib.postgres.fields.ArrayField(base_field=labeling.models.step_scorers.Real(), null=True, size=None)),
                ('score', models.FloatField(help_text="Log of the trace's score.", null=True)),
                ('reason', models.CharField(blank=True, help_text='Why it gave no number.', max_length=300)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.project')),
                ('scorer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='trials', to='labeling.stepscorer')),
            ],
            options={
                'abstract': False,
            },
        ),
    ]
