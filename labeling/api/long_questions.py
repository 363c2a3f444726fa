"""The requests that read very many rows. The web server runs only a few of them at once (annotation_app.rsgi).

The requests of the labeling page are not among them, so they get a thread however many of these are waiting.
"""

import re

from django.core.exceptions import ImproperlyConfigured
from django.urls import get_resolver

LONG_QUESTIONS = (
    "compare_evaluations",
    "compare_rounds",
    "count_hasty_labels",
    "count_pool",
    "download_agreement",
    "download_audit",
    "download_failures",
    "download_labelers",
    "download_labels",
    "download_release_diff",
    "download_round_report",
    "download_row_hashes",
    "download_time_report",
    "download_traces",
    "get_agreement",
    "get_calibration",
    "get_failures",
    "get_forecast",
    "get_home",
    "get_label_facets",
    "get_label_sorts",
    "get_labeler",
    "get_machine_report",
    "get_my_stats",
    "get_overview",
    "get_person_data",
    "get_problem_tree",
    "get_promotion_news",
    "get_release_diff",
    "get_round_figures",
    "get_round_report",
    "get_time_report",
    "get_trace_facets",
    "list_disputed_traces",
    "list_labelers",
    "list_labels",
    "list_round_reports",
    "list_tasks",
    "list_traces",
    "preview_export",
    "preview_label_audit",
    "preview_path_round",
    "preview_round",
    "preview_training",
)
GROUP = re.compile(r"\(\?P<\w+>")


def question_paths() -> re.Pattern[str]:
    """Matches the paths of LONG_QUESTIONS. Raises ImproperlyConfigured if one of the names has no route."""
    routes = get_resolver().reverse_dict
    found = [(name, pattern) for name in LONG_QUESTIONS for _, pattern, *_ in routes.getlist(name)]
    if missing := set(LONG_QUESTIONS) - {name for name, _ in found}:
        raise ImproperlyConfigured(f"No route is called {', '.join(sorted(missing))}.")
    return re.compile("|".join(f"/{GROUP.sub('(?:', pattern)}" for _, pattern in found))
