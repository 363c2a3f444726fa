"""Addresses of a project's Home and of the list of all labels."""

from django.urls import path

from labeling.api.methods import by_method
from labeling.api.views import home, label_list

console_urls = [
    path("projects/<slug:slug>/home", home.get_home, name="get_home"),
    path("projects/<slug:slug>/badges", home.get_badges, name="get_badges"),
    path("projects/<slug:slug>/forecast", home.get_forecast, name="get_forecast"),
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
