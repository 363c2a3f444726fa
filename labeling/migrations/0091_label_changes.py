
import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0090_provisioned_accounts'),
    ]

    operations = [
        migrations.AddField(
            model_name='label',
            name='excluded',
            field=models.BooleanField(db_default=False, default=False, help_text='Left out of exports, releases, training and measuring by a person (LabelChange).'),
        ),
        migrations.AlterField(
            model_name='reviewdecision',
            name='kind',
            field=models.CharField(choices=[('no_consensus', 'Nobody more can be asked, and they do not agree'), ('disagreement', 'Its labels differ about the first error'), ('contradiction', 'A label contradicts itself or the outcome, and says why'), ('flagged', 'A labeler was unsure of a rating'), ('comment', 'A labeler wrote about a step'), ('split_badly', 'A step is cut in the wrong place'), ('answer_wrong', 'The guess of the right answer looks wrong'), ('bad_problem', 'A labeler says that the problem is bad'), ('asked_for', 'A researcher asked for it in the list of labels')], max_length=14),
        ),
        migrations.CreateModel(
            name='LabelChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('exclude', 'left out of exports, releases, training and measuring'), ('include', 'no longer left out'), ('review', 'their tasks wait for a reviewer'), ('relabel', 'their tasks want one more label'), ('tag', 'found by a word from now on'), ('untag', 'the word taken off')], max_length=8)),
                ('label_ids', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('tag', models.CharField(blank=True, max_length=40)),
                ('because', models.TextField(blank=True)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('undone_at', models.DateTimeField(null=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='label_changes', to='labeling.project')),
                ('undone_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['project', '-id'], name='label_change_by_project')],
            },
        ),
        migrations.CreateModel(
            name='LabelTag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tag', models.CharField(max_length=40)),
                ('label', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='tags', to='labeling.label')),
            ],
            options={
                'indexes': [models.Index(fields=['tag', 'label'], name='label_tag_by_word')],
                'constraints': [models.UniqueConstraint(fields=('label', 'tag'), name='one_tag_a_label_and_word')],
            },
        ),
        migrations.CreateModel(
            name='LabelView',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('filters', models.JSONField(default=dict)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='label_views', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='label_views', to='labeling.project')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'person', 'name'), name='one_label_view_a_person_and_name')],
            },
        ),
    ]
