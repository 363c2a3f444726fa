"""Several tasks are leased ahead for a labeler, in places of their own; until now it was one."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """A label's place among what is leased ahead, and one label a place."""

    dependencies = [("labeling", "0052_after_the_first_error")]

    operations = [
        migrations.AddField(
            model_name="label",
            name="ahead",
            field=models.IntegerField(
                db_default=0,
                default=0,
                help_text="The place among what its labeler has leased ahead; the lowest comes next.",
            ),
        ),
        migrations.RemoveConstraint(model_name="label", name="one_prefetched_label_a_labeler_and_project"),
        migrations.AddConstraint(
            model_name="label",
            constraint=models.UniqueConstraint(
                condition=Q(status="prefetched"),
                fields=["project", "labeler", "ahead"],
                name="one_prefetched_label_a_place",
            ),
        ),
    ]
