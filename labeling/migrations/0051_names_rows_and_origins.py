"""Names of PRMs are one in their project, single grades can be left out of applying, and what a PRM learned from is kept."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0050_prm_connections'),
    ]

    operations = [
        migrations.CreateModel(
            name='LearnedText',
            fields=[
                ('pk', models.CompositePrimaryKey('scorer_id', 'text_hash', blank=True, editable=False, primary_key=True, serialize=False)),
                ('scorer', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='labeling.stepscorer')),
                ('text_hash', models.BinaryField(help_text='Problem.text_hash or Trace.trace_hash.', max_length=32)),
            ],
        ),
        migrations.AddField(
            model_name='gradingjob',
            name='left_out',
            field=models.PositiveIntegerField(db_default=0, default=0, help_text='Differences that applying is to skip.'),
        ),
        migrations.AddField(
            model_name='stepscorer',
            name='learned_texts',
            field=models.PositiveIntegerField(help_text='Its rows of LearnedText. Null: nothing beside its weights says what it learned.', null=True),
        ),
        migrations.AddField(
            model_name='tracegrade',
            name='left_out',
            field=models.BooleanField(db_default=False, default=False, help_text='A person wants its trace left as it is.'),
        ),
        migrations.AlterField(
            model_name='stepscorer',
            name='name',
            field=models.CharField(help_text="One PRM's in its project, or among those for all.", max_length=100),
        ),
        migrations.AddConstraint(
            model_name='stepscorer',
            constraint=models.UniqueConstraint(fields=('project', 'name'), name='one_step_scorer_a_name'),
        ),
        migrations.AddConstraint(
            model_name='stepscorer',
            constraint=models.UniqueConstraint(condition=models.Q(('project', None)), fields=('name',), name='one_step_scorer_a_name_for_all'),
        ),
    ]
