"""Addresses of the page of failures."""

from django.urls import path

from labeling.api.views import failures

failure_urls = [
    path("projects/<slug:slug>/failures", failures.get_failures, name="get_failures"),
    path("projects/<slug:slug>/failures.csv", failures.download_failures, name="download_failures"),
]
