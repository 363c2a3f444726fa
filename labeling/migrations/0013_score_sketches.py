from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0012_notices'),
    ]

    operations = [
        migrations.AddField(
            model_name='score',
            name='sketch',
            field=models.BinaryField(help_text="Of the trace's text (labeling.selection.sketches). Null: made from the text when it is needed.", max_length=36, null=True),
        ),
    ]
