"""A PRM's name is one in its project, or among the PRMs for all; it was one of the whole site."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0050_prm_connections'),
    ]

    operations = [
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
