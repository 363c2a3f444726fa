from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("labeling", "0002_audit_is_append_only")]

    operations = [
        migrations.AddField("export", "label_ids", models.BinaryField(help_text="The frozen labels in order: ids as packed little-endian 64-bit, deflated.", null=True)),
        migrations.AddField("export", "frozen_at", models.DateTimeField(null=True)),
        migrations.AddField("export", "checkpoint", models.JSONField(default=dict, help_text="How much of the file is surely on disk, and the counts up to there.")),
        migrations.AddIndex("export", models.Index(fields=["project", "-frozen_at"], name="export_by_freezing")),
    ]
