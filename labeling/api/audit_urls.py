"""URLs of marks accepted in bulk, and of how seeing a machine's marks affected labelers."""

from django.urls import path

from labeling.api.methods import by_method
from labeling.api.views import audits

audit_urls = [
    path(
        "projects/<slug:slug>/acceptances",
        by_method(GET=audits.list_acceptances, POST=audits.accept_marks),
        name="acceptances",
    ),
    path("acceptances/<int:acceptance_id>/withdraw", audits.withdraw_acceptance, name="withdraw_acceptance"),
    path("acceptances/<int:acceptance_id>/marks", audits.list_accepted_marks, name="list_accepted_marks"),
    path("rounds/<int:round_id>/machine", audits.get_machine_report, name="get_machine_report"),
]
