from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0029_fill_imported_quality_control'),
    ]

    operations = [
        migrations.AddField(
            model_name='round',
            name='protocol',
            field=models.CharField(db_default='first_error', default='first_error', help_text='How its traces are labeled, a name in labeling.protocol.registry; it never changes.', max_length=30),
        ),
    ]
