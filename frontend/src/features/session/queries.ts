import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, csrfToken } from "@/api/client";
import type { InvitationPreview } from "@/api/projectTypes";
import { sessionQuery } from "@/api/session";
import type { BegunSignIn, Credentials, NewAccount, Session } from "@/api/types";

/** A change of who is logged in: everything read before belonged to somebody else. */
function useNewSession() {
  const client = useQueryClient();
  return (session: Session) => {
    // Not all at once: whoever shows the session would go on looking at the one that was thrown away.
    client.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionQuery.queryKey[0] });
    client.setQueryData(sessionQuery.queryKey, session);
  };
}

export function useLogIn() {
  const client = useQueryClient();
  const onSuccess = useNewSession();
  return useMutation({
    mutationFn: async (credentials: Credentials) => {
      // The session brings the token that a login needs; a password manager may be quicker than it.
      if (csrfToken() === "") await client.ensureQueryData(sessionQuery);
      return api.post<Session>("/api/session/login", credentials);
    },
    onSuccess,
  });
}

/** Leave for a sign-in provider, which sends the browser back to `next`. */
export function useSignIn(next: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (provider: string) => {
      if (csrfToken() === "") await client.ensureQueryData(sessionQuery);
      return api.post<BegunSignIn>(`/api/session/providers/${encodeURIComponent(provider)}/begin`, { next });
    },
    onSuccess: ({ url }) => window.location.assign(url),
  });
}

export function useInvitation(token: string) {
  return useQuery({
    queryKey: ["invitation", token],
    queryFn: ({ signal }) => api.get<InvitationPreview>(`/api/invitations/${encodeURIComponent(token)}`, { signal }),
    retry: false,
  });
}

/** Join with a new account, or, with `null`, as the person who is logged in. */
export function useAcceptInvitation(token: string) {
  const onSuccess = useNewSession();
  return useMutation({
    mutationFn: (account: NewAccount | null) =>
      api.post<Session>(`/api/invitations/${encodeURIComponent(token)}/accept`, account ?? {}),
    onSuccess,
  });
}
