"""One route with a view function per HTTP method."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

View = Callable[..., HttpResponse]


def by_method(**views: Any) -> View:
    """Joins `@api_view` functions: `by_method(GET=list_projects, POST=create_project)`.

    Each keeps its own name, permissions and schema. Any other method gets the first view's 405.
    """
    first = next(iter(views.values()))

    def choose(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        return views.get(request.method or "", first)(request, **kwargs)

    names = [name for view in views.values() for name in view.cls.http_method_names]
    parts = tuple(view.cls for view in views.values())
    # What the schema generator reads (labeling.api.schema), and what leaves the CSRF check to each view.
    for name, value in {
        "views": views,
        "cls": type("ByMethod", parts, {"http_method_names": names}),
        "initkwargs": {},
        "csrf_exempt": True,
    }.items():
        setattr(choose, name, value)
    return choose
