"""Every route: the API and its schema, the admin pages, and the page for the rest (`health` answers before these)."""

from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularJSONAPIView

from annotation_app import frontend
from annotation_app.admin_pages import AdminLogin
from annotation_app.json_api import SchemaAsJSON, SchemaAsOpenApi
from labeling.api.views import scim
from labeling.api.views.provider_logout import provider_logout

urlpatterns = [
    path("api/schema", SpectacularJSONAPIView.as_view(renderer_classes=[SchemaAsOpenApi, SchemaAsJSON]), name="schema"),
    path("api/", include("labeling.api.urls")),
    path("scim/v2/Users", scim.users, name="scim_users"),
    path("scim/v2/.search", scim.search, name="scim_search"),
    path("scim/v2/Users/.search", scim.search, {"kind": "Users"}, name="scim_search_users"),
    path("scim/v2/Users/<str:number>", scim.user, name="scim_user"),
    path("scim/v2/Groups", scim.groups, name="scim_groups"),
    path("scim/v2/Groups/.search", scim.search, {"kind": "Groups"}, name="scim_search_groups"),
    path("scim/v2/Groups/<str:number>", scim.group, name="scim_group"),
    path("scim/v2/<path:what>", scim.about, name="scim_about"),
    path("oidc/<slug:provider>/backchannel_logout", provider_logout, name="provider_logout"),
    path("admin/login/", AdminLogin.as_view(), name="admin_login"),
    # Passwords are changed in one place, which counts attempts at the old one and ends the other sessions.
    path("admin/password_change/", RedirectView.as_view(url="/account"), name="admin_password_change"),
    path("admin/", admin.site.urls),
    re_path(r"^(?!api/|api$|admin/|static/|assets/)(?!.*\.\w{2,5}$).*$", frontend.page, name="page"),
]
handler400 = "annotation_app.exception_handler.bad_request"
handler404 = "annotation_app.exception_handler.not_found"
handler500 = "annotation_app.exception_handler.server_error"
