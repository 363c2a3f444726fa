"""`manage.py import_gold PROJECT FILE`: import traces whose first error is known, and make them gold."""

from labeling.management.commands import import_traces


class Command(import_traces.Command):
    help = (
        "As import_traces; every row's trace becomes gold, with the first error that `first_error` or `step_labels`"
        " tell. A row that tells none is faulty. Traces that are gold already stay as they are."
    )
    as_gold = True
