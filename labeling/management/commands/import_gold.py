"""`manage.py import_gold PROJECT FILE`: import traces whose first error is known, and make them gold."""

from labeling.management.commands import import_traces


class Command(import_traces.Command):
    help = (
        "Import traces as import_traces does, and make each one gold, with the first error that `first_error` or"
        " `step_labels` give. A row that gives none is faulty. Traces that are already gold stay as they are."
    )
    as_gold = True
