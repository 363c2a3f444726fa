"""/metrics for Prometheus: the state of the site (labeling.queries.site_metrics), and how long its requests take."""

import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse

from annotation_app.exception_handler import not_found
from annotation_app.metrics_guard import may_read

ADDRESS = "/metrics"
NEEDS_TOKEN = {
    "code": "not_authenticated",
    "detail": "Send `Authorization: Bearer` with METRICS_TOKEN, or connect from METRICS_NETWORKS without a proxy.",
}


def answer_metrics(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: answers /metrics and measures everything else; does neither while both settings are empty."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if request.path == ADDRESS:
            return metrics(request)
        if not (settings.METRICS_TOKEN or settings.METRICS_NETWORKS):
            return get_response(request)
        began = time.perf_counter()
        response = get_response(request)
        route = request.resolver_match.url_name if request.resolver_match else None
        _kept().observe(request.method or "", route or "other", response.status_code, time.perf_counter() - began)
        return response

    return answer


def metrics(request: HttpRequest) -> HttpResponse:
    """Return the figures as text; 404 while this is switched off, 401 without the token."""
    if not (settings.METRICS_TOKEN or settings.METRICS_NETWORKS):
        return not_found(request, Http404())
    if not may_read(request, settings.METRICS_TOKEN, settings.METRICS_NETWORKS):
        return JsonResponse(NEEDS_TOKEN, status=401, headers={"WWW-Authenticate": "Bearer"})
    if request.method != "GET":
        return HttpResponse(status=405, headers={"Allow": "GET"})
    return HttpResponse(_kept().as_text(SiteFigures()), content_type="text/plain; version=0.0.4; charset=utf-8")


@cache
def _kept() -> Any:
    from annotation_app import request_times  # noqa: PLC0415 (makes files; only where somebody reads them)

    return request_times


class SiteFigures:
    """The database's figures in the format of Prometheus. Without the database, only that it is down."""

    def collect(self) -> Iterator[Any]:
        """Yield the figures. Called once per scrape."""
        from labeling.queries import site_metrics  # noqa: PLC0415 (models are loaded after the middleware)

        try:
            found = [*site_metrics.site_metrics(), *site_metrics.replica_metrics(), *site_metrics.disk_metrics()]
        except (OperationalError, InterfaceError):
            connection.close()
            found = []
        up = site_metrics.Metric("stepmark_database_up", "1 while PostgreSQL answers.", (), [((), float(bool(found)))])
        yield from self._families([up, *found])

    def _families(self, metrics: Iterable[Any]) -> Iterator[Any]:
        from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily  # noqa: PLC0415 (as above)

        for metric in metrics:
            kind = HistogramMetricFamily if metric.buckets else GaugeMetricFamily
            family: Any = kind(metric.name, metric.means, labels=metric.labels)
            for labels, value in metric.rows:
                if metric.buckets:
                    *counts, total = value
                    bounds = [*map(str, map(float, metric.buckets)), "+Inf"]
                    family.add_metric(labels, list(zip(bounds, map(float, counts), strict=True)), float(total))
                else:
                    family.add_metric(labels, value)
            yield family
