"""What a round offers and asks at a mistake, and what machines suggest there."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0051_names_rows_and_origins'),
    ]

    operations = [
        migrations.AddField(
            model_name='project',
            name='after_error',
            field=models.JSONField(db_default={}, default=dict, help_text='What new rounds offer and ask at a mistake (configs.after_error).'),
        ),
        migrations.AddField(
            model_name='round',
            name='after_error',
            field=models.JSONField(db_default={}, default=dict, help_text="What it offers and asks at a mistake; the project's when it was opened."),
        ),
        migrations.AlterField(
            model_name='completion',
            name='source',
            field=models.CharField(choices=[('model', 'Model'), ('human', 'Human'), ('suggested', 'by a model, as a suggestion that a labeler rated')], default='model', max_length=10),
        ),
        migrations.CreateModel(
            name='SuggestionRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('step_index', models.PositiveIntegerField()),
                ('settings', models.JSONField(help_text='configs.ExplainingConfig: generator, model, prompt, sampling.')),
                ('prompt_version', models.CharField(max_length=40)),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='queued', max_length=8)),
                ('lease_token', models.UUIDField(null=True)),
                ('leased_until', models.DateTimeField(null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('error', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(null=True)),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='suggestion_requests', to='labeling.round')),
                ('trace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='suggestion_requests', to='labeling.trace')),
            ],
        ),
        migrations.CreateModel(
            name='SuggestionAsk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('label', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='suggestion_asks', to='labeling.label')),
                ('request', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='asks', to='labeling.suggestionrequest')),
            ],
        ),
        migrations.CreateModel(
            name='Suggestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('step_index', models.PositiveIntegerField()),
                ('kind', models.CharField(choices=[('explanation', 'Explanation'), ('alternative', 'Alternative')], max_length=12)),
                ('number', models.PositiveSmallIntegerField()),
                ('text', models.TextField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), default=django.utils.timezone.now)),
                ('trace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='suggestions', to='labeling.trace')),
                ('request', models.ForeignKey(help_text='Null: from a file.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='suggestions', to='labeling.suggestionrequest')),
            ],
        ),
        migrations.AddIndex(
            model_name='suggestionrequest',
            index=models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['id'], name='suggestion_requests_to_do'),
        ),
        migrations.AddConstraint(
            model_name='suggestionrequest',
            constraint=models.UniqueConstraint(fields=('trace', 'step_index'), name='one_suggestion_request_a_step'),
        ),
        migrations.AddConstraint(
            model_name='suggestionask',
            constraint=models.UniqueConstraint(fields=('label', 'request'), name='one_ask_a_label_and_step'),
        ),
        migrations.AddConstraint(
            model_name='suggestion',
            constraint=models.UniqueConstraint(fields=('trace', 'step_index', 'kind', 'number'), name='one_suggestion_a_number'),
        ),
    ]
