"""OpenID Connect Back-Channel Logout, called by providers. Not part of the API for people."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from labeling.actions.provider_logouts import end_provider_sessions
from labeling.actions.sign_in import get_provider
from labeling.errors import LogoutRefused, NotFound


@csrf_exempt
def provider_logout(request: HttpRequest, provider: str) -> HttpResponse:
    """POST of logout_token as a form: 200 once the sessions have ended, 400 if the token is not accepted."""
    try:
        known = get_provider(provider)
    except NotFound as none:
        raise Http404 from none
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        end_provider_sessions(known, request.POST.get("logout_token", ""))
    except LogoutRefused as refused:
        said = {"error": "invalid_request", "error_description": refused.detail}
        return JsonResponse(said, status=400, headers={"Cache-Control": "no-store"})
    return HttpResponse(headers={"Cache-Control": "no-store"})
