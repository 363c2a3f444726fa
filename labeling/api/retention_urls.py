"""URLs of deletion and retention."""

from django.urls import path

from labeling.api.views import retention

retention_urls = [
    path("projects/<slug:slug>/retention", retention.get_project_retention, name="get_project_retention"),
    path("projects/<slug:slug>/retention/prune", retention.prune_project, name="prune_project"),
    path("projects/<slug:slug>/retention/take_out", retention.take_out_project, name="take_out_project"),
    path("projects/<slug:slug>/retention/bring_back", retention.bring_back_project, name="bring_back_project"),
    path("site/retention", retention.get_site_retention, name="get_site_retention"),
    path("site/retention/prune", retention.prune_site, name="prune_site"),
    path("site/person_data", retention.get_person_data, name="get_person_data"),
    path("site/person_data/forget", retention.forget_person, name="forget_person"),
]
