"""The people of a project: members and invitations."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes, throttle_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.actions import invitations, people
from labeling.actions.api_tokens import hash_of
from labeling.api.answers import With, answer
from labeling.api.authentication import BrowserSession
from labeling.api.checks import SENSITIVE
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.people import (
    AcceptInvitationIn,
    ChangeRoleIn,
    InvitationIn,
    InvitationOut,
    ListMembersIn,
    MemberOut,
    NewInvitationOut,
    OwnInvitationOut,
    PublicInvitationOut,
)
from labeling.api.serializers.session import SessionOut
from labeling.api.throttles import InvitationThrottle
from labeling.api.views.session import session_of
from labeling.queries import people as queries
from labeling.queries.people import project_invitations, project_members, undelivered, with_work
from labeling.queries.projects import ADMIN, RESEARCHER, get_project_as


@extend_schema(parameters=[ListMembersIn, *PAGE_PARAMETERS], responses=paged(MemberOut))
@api_view(["GET"])
def list_members(request: Request, slug: str) -> Response:
    """Everyone who is or was in the project, with their work, in the order they joined."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    asked = ListMembersIn(data=request.query_params)
    asked.is_valid(raise_exception=True)
    return page_of(
        request,
        project_members(project, **asked.validated_data),
        MemberOut,
        order=("id",),
        prepared=lambda members: with_work(project, members),
    )


@extend_schema(request=ChangeRoleIn, responses=MemberOut)
@api_view(["POST"])
@permission_classes(SENSITIVE)
def change_role(request: Request, slug: str, member_id: int) -> Response:
    """Change a member's role."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    body = read_body(request, ChangeRoleIn)
    member = people.change_role(signed_in(request), project, member_id, body["role"])
    return answer(MemberOut, with_work(project, [member])[0])


@extend_schema(request=None, responses=MemberOut)
@api_view(["POST"])
@permission_classes(SENSITIVE)
def deactivate_member(request: Request, slug: str, member_id: int) -> Response:
    """Deactivate a member: they lose access to the project. Their labels are kept."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    member = people.deactivate_member(signed_in(request), project, member_id)
    return answer(MemberOut, with_work(project, [member])[0])


@extend_schema(request=None, responses=MemberOut)
@api_view(["POST"])
@permission_classes(SENSITIVE)
def reactivate_member(request: Request, slug: str, member_id: int) -> Response:
    """Reactivate a deactivated member."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    member = people.reactivate_member(signed_in(request), project, member_id)
    return answer(MemberOut, with_work(project, [member])[0])


@extend_schema(parameters=PAGE_PARAMETERS, responses=paged(InvitationOut))
@api_view(["GET"])
def list_invitations(request: Request, slug: str) -> Response:
    """The project's invitations, newest first."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    return page_of(request, project_invitations(project), InvitationOut, prepared=_with_mail)


def _with_mail(found: list[Any]) -> list[With]:
    failed = undelivered(found)
    return [With(invitation, undelivered=failed.get(invitation.pk, "")) for invitation in found]


@extend_schema(request=InvitationIn, responses={201: NewInvitationOut})
@api_view(["POST"])
@permission_classes(SENSITIVE)
def create_invitation(request: Request, slug: str) -> Response:
    """Create an invitation link. `url_path` is only in this answer."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    body = read_body(request, InvitationIn)
    invitation, secret = invitations.create_invitation(signed_in(request), project, **body)
    return answer(NewInvitationOut, With(invitation, url_path=f"/invitations/{secret}"), 201)


@extend_schema(request=None, responses=InvitationOut)
@api_view(["POST"])
def revoke_invitation(request: Request, invitation_id: int) -> Response:
    """Withdraw an open invitation."""
    return answer(InvitationOut, invitations.revoke_invitation(signed_in(request), invitation_id))


@extend_schema(parameters=PAGE_PARAMETERS, responses=paged(OwnInvitationOut))
@api_view(["GET"])
def list_own_invitations(request: Request) -> Response:
    """Your open invitations by user name, newest first."""
    return page_of(request, queries.own_invitations(signed_in(request)), OwnInvitationOut)


@extend_schema(request=None, responses=SessionOut)
@api_view(["POST"])
def join_by_invitation(request: Request, invitation_id: int) -> Response:
    """Join a project that invited you by your user name. No link is needed."""
    person = signed_in(request)
    invitations.join_by_invitation(person, invitation_id)
    return answer(SessionOut, session_of(person))


@extend_schema(responses=PublicInvitationOut)
@api_view(["GET"])
@permission_classes([AllowAny])
@throttle_classes([InvitationThrottle])
def get_invitation(request: Request, token: str) -> Response:
    """What an invitation link invites to. Public."""
    return answer(PublicInvitationOut, queries.get_invitation(hash_of(token)))


@extend_schema(request=AcceptInvitationIn, responses=SessionOut)
@api_view(["POST"])
@permission_classes([AllowAny])
@throttle_classes([InvitationThrottle])
def accept_invitation(request: Request, token: str) -> Response:
    """Join with the account that is logged in, or create the given account and log in with it."""
    if request.auth is None:
        BrowserSession().enforce_csrf(request)
    body = read_body(request, AcceptInvitationIn)
    known = signed_in(request) if request.user.is_authenticated else None
    person = invitations.accept_invitation(token, known, **body)
    if known is None:
        people.start_session(request._request, person, how="invitation")
    return answer(SessionOut, session_of(person))
