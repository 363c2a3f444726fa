"""URLs of the console: Home, people, models, rounds in figures, and the lists of traces and of labels."""

from django.urls import path

from labeling.api.methods import by_method
from labeling.api.views import evaluations, home, label_list, labeler_figures, round_reports, trace_list, waiting

console_urls = [
    path("projects/<slug:slug>/home", home.get_home, name="get_home"),
    path("projects/<slug:slug>/badges", home.get_badges, name="get_badges"),
    path("projects/<slug:slug>/selector", home.get_selector, name="get_selector"),
    path("projects/<slug:slug>/waiting", waiting.get_waiting, name="get_waiting"),
    path("projects/<slug:slug>/forecast", home.get_forecast, name="get_forecast"),
    path("projects/<slug:slug>/labelers/<int:labeler_id>", labeler_figures.get_labeler, name="get_labeler"),
    path("rounds/<int:round_id>/figures", round_reports.get_round_figures, name="get_round_figures"),
    path("projects/<slug:slug>/round_comparison", round_reports.compare_rounds, name="compare_rounds"),
    path("projects/<slug:slug>/model_history", evaluations.get_model_history, name="get_model_history"),
    path("projects/<slug:slug>/traces", trace_list.list_traces, name="list_traces"),
    path("projects/<slug:slug>/traces.csv", trace_list.download_traces, name="download_traces"),
    path("projects/<slug:slug>/traces/facets", trace_list.get_trace_facets, name="get_trace_facets"),
    path("projects/<slug:slug>/traces/hold_out", trace_list.hold_out_traces, name="hold_out_traces"),
    path("projects/<slug:slug>/traces/gold", trace_list.make_traces_gold, name="make_traces_gold"),
    path("problems/<int:problem_id>/tree", trace_list.get_problem_tree, name="get_problem_tree"),
    path("projects/<slug:slug>/labels", label_list.list_labels, name="list_labels"),
    path("projects/<slug:slug>/labels.csv", label_list.download_labels, name="download_labels"),
    path("projects/<slug:slug>/labels/facets", label_list.get_label_facets, name="get_label_facets"),
    path(
        "projects/<slug:slug>/label_changes",
        by_method(GET=label_list.list_label_changes, POST=label_list.change_labels),
        name="label_changes",
    ),
    path("label_changes/<int:change_id>/undo", label_list.undo_label_change, name="undo_label_change"),
    path(
        "projects/<slug:slug>/label_views",
        by_method(GET=label_list.list_label_views, POST=label_list.save_label_view),
        name="label_views",
    ),
    path("label_views/<int:view_id>/remove", label_list.remove_label_view, name="remove_label_view"),
]
