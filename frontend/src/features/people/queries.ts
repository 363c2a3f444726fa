import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { usePaged } from "@/api/paged";
import type { Invitation, MadeInvitation, NewInvitation, ProjectMember } from "@/api/projectTypes";
import type { Role } from "@/api/types";

const membersKey = (slug: string) => ["members", slug];
const invitationsKey = (slug: string) => ["invitations", slug];

export function useMembers(slug: string, kind: ProjectMember["user"]["kind"]) {
  return usePaged<ProjectMember>([...membersKey(slug), kind], `/api/projects/${slug}/members`, { kind });
}

function useMemberAction<T extends { id: number }>(slug: string, path: string, body: (input: T) => object) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: T) => api.post<ProjectMember>(`/api/projects/${slug}/members/${input.id}/${path}`, body(input)),
    onSuccess: () => client.invalidateQueries({ queryKey: membersKey(slug) }),
  });
}

export function useChangeRole(slug: string) {
  return useMemberAction<{ id: number; role: Role }>(slug, "role", ({ role }) => ({ role }));
}

export function useDeactivateMember(slug: string) {
  return useMemberAction<{ id: number }>(slug, "deactivate", () => ({}));
}

export function useReactivateMember(slug: string) {
  return useMemberAction<{ id: number }>(slug, "reactivate", () => ({}));
}

export function useInvitations(slug: string) {
  return usePaged<Invitation>(invitationsKey(slug), `/api/projects/${slug}/invitations`);
}

export function useCreateInvitation(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (invitation: NewInvitation) =>
      api.post<MadeInvitation>(`/api/projects/${slug}/invitations`, invitation),
    onSuccess: () => client.invalidateQueries({ queryKey: invitationsKey(slug) }),
  });
}

export function useRevokeInvitation(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => api.post<Invitation>(`/api/invitations/${id}/revoke`),
    onSuccess: () => client.invalidateQueries({ queryKey: invitationsKey(slug) }),
  });
}
