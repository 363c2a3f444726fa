from django.db import migrations, models
from django.db.models import ExpressionWrapper, F, Q

KINDS = [
    ("work", "Work"),
    ("gold", "Gold"),
    ("screening", "Screening"),
    ("imported_qc", "quality control of another project, imported with its labels"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0027_verdict_fits"),
    ]

    operations = [
        migrations.AlterField(
            model_name="task",
            name="kind",
            field=models.CharField(choices=KINDS, default="work", max_length=12),
        ),
        migrations.AlterField(
            model_name="goldresult",
            name="kind",
            field=models.CharField(choices=KINDS, max_length=12),
        ),
        migrations.RemoveConstraint(model_name="task", name="one_task_a_trace_and_round"),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.UniqueConstraint(
                F("round"),
                F("trace"),
                ExpressionWrapper(Q(kind="imported_qc"), output_field=models.BooleanField()),
                name="one_task_a_trace_and_round",
            ),
        ),
    ]
