"""URLs of a run's typed steps, of their pictures, and of pushing labels to other services."""

from django.urls import path

from labeling.api.views import exports, run_steps

run_urls = [
    path("labels/<int:label_id>/typed_steps/<int:place>", run_steps.get_typed_step, name="get_typed_step"),
    path("labels/<int:label_id>/images/<str:sha256>", run_steps.get_step_image, name="get_step_image"),
    path("traces/<int:trace_id>/typed_steps/<int:place>", run_steps.get_trace_step, name="get_trace_step"),
    path("traces/<int:trace_id>/images/<str:sha256>", run_steps.get_trace_image, name="get_trace_image"),
    path("label_audit_items/<int:item_id>/typed_steps/<int:place>", run_steps.get_item_step, name="get_item_step"),
    path("label_audit_items/<int:item_id>/images/<str:sha256>", run_steps.get_item_image, name="get_item_image"),
    path("exports/<int:export_id>/pushes", exports.list_pushes, name="list_pushes"),
    path("exports/<int:export_id>/push", exports.push_export, name="push_export"),
]
