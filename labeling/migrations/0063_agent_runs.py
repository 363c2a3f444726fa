from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0062_stacked_heads'),
    ]

    operations = [
        migrations.AddField(
            model_name='trace',
            name='typed_steps',
            field=models.JSONField(help_text="Of an agent's run: all that was said and done, each with its kind; `steps` are its rated units (labeling.formats.typed_steps).", null=True),
        ),
        migrations.AddField(
            model_name='project',
            name='rated_unit',
            field=models.CharField(choices=[('message', 'Each message of the agent, with all the calls in it'), ('call', 'Each call of a tool')], db_default='message', default='message', help_text="What is rated of an agent's run that is imported from now on.", max_length=8),
        ),
        migrations.AddField(
            model_name='label',
            name='run_marks',
            field=models.JSONField(help_text="Of an agent's run: decisive error, recovery, outcome, safety, comment (protocol.run_marks).", null=True),
        ),
    ]
