from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("labeling", "0040_step_scorers")]

    operations = [
        migrations.AlterField(
            "roundchunk",
            "stage",
            models.CharField(help_text="Its name in labeling.configs.stages.", max_length=10),
        ),
    ]
