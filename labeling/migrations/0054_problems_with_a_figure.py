"""Problems whose text holds a figure that labelers do not see are counted by an index of their own."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0053_tasks_ahead'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='problem',
            index=models.Index(condition=models.Q(('text__contains', '[asy]'), ('text__regex', '!\\[[^\\]\\n]*\\]\\([^()\\s]'), _connector='OR'), fields=['project'], name='problem_with_a_figure'),
        ),
    ]
