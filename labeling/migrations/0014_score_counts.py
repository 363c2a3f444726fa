import django.db.models.deletion
from django.db import migrations, models

COUNT = """
    INSERT INTO labeling_scorecount (prm_id, project_id, traces)
    SELECT prm_id, project_id, count(*) FROM labeling_score GROUP BY prm_id, project_id
"""


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0013_score_sketches'),
    ]

    operations = [
        migrations.CreateModel(
            name='ScoreCount',
            fields=[
                ('pk', models.CompositePrimaryKey('prm_id', 'project_id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('traces', models.PositiveBigIntegerField()),
                ('prm', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.prm')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='labeling.project')),
            ],
        ),
        migrations.RunSQL('LOCK labeling_score IN SHARE MODE; ' + COUNT, migrations.RunSQL.noop),
    ]
