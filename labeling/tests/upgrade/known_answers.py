"""What is meant to answer otherwise of tasks whose right answer is known: gold, screening, imported quality control."""

from labeling.tests.upgrade.differences import Named

# Gold and screening wait for no ruling, and get none: gold/test_reviewed_gold.py.
ANSWER_KNOWN = (
    *(
        Named(r"/projects/(geometry|records)/reviews/counts", key)
        for key in ("contradiction", "bad_problem", "flagged", "tasks")
    ),
    Named(r"/projects/(geometry|records)/reviews", "results"),
    *(Named(r"/tasks/\d+/review", key) for key in ("can_settle", "waiting")),
)
