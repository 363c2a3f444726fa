import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, csrfToken } from "@/api/client";
import { usePasskeyOnce } from "@/api/passkeys";
import type { InvitationPreview } from "@/api/projectTypes";
import { forgetWhatWasRead, sessionQuery } from "@/api/session";
import type {
  BegunSignIn,
  Credentials,
  NewAccount,
  NewForgottenPassword,
  PersonProof,
  SecondFactors,
  Session,
} from "@/api/types";

/** Apply a change of who is logged in: everything loaded before belonged to somebody else. */
function useNewSession() {
  const client = useQueryClient();
  return (session: Session) => {
    forgetWhatWasRead(client);
    client.setQueryData(sessionQuery.queryKey, session);
  };
}

export function useLogIn() {
  const client = useQueryClient();
  const onSuccess = useNewSession();
  return useMutation({
    mutationFn: async (credentials: Credentials) => {
      // The session brings the token that a login needs. A password manager may submit before it has arrived.
      if (csrfToken() === "") await client.ensureQueryData(sessionQuery);
      return api.post<Session>("/api/session/login", credentials);
    },
    onSuccess,
  });
}

export function usePasskeyLogIn() {
  const onSuccess = useNewSession();
  return useMutation({ mutationFn: usePasskeyOnce, onSuccess });
}

/** How this person can prove who they are. */
export function useWaysToProve() {
  return useQuery({
    queryKey: ["second-factors"],
    queryFn: ({ signal }) => api.get<SecondFactors>("/api/session/factors", { signal }),
  });
}

export function useProveByPassword() {
  return useMutation({ mutationFn: (proof: PersonProof) => api.post<Session>("/api/session/check", proof) });
}

export function useProveByPasskey() {
  return useMutation({ mutationFn: usePasskeyOnce });
}

export function useForgetPassword() {
  return useMutation({
    mutationFn: (name: string) => api.post<Session>("/api/session/password/forgotten", { name }),
  });
}

export function useSetForgottenPassword() {
  return useMutation({
    mutationFn: (asked: NewForgottenPassword) => api.post<Session>("/api/session/password/new", asked),
  });
}

/** Leave for a sign-in provider, which sends the browser back to `next`. `again`: to prove there who they are. */
export function useSignIn(next: string, again = false) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (provider: string) => {
      if (csrfToken() === "") await client.ensureQueryData(sessionQuery);
      return api.post<BegunSignIn>(`/api/session/providers/${encodeURIComponent(provider)}/begin`, { next, again });
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

/** Join with a new account or, with `null`, as the person who is logged in: the one that the page names. */
export function useAcceptInvitation(token: string, person: number | null = null) {
  const onSuccess = useNewSession();
  return useMutation({
    mutationFn: (account: NewAccount | null) =>
      api.post<Session>(`/api/invitations/${encodeURIComponent(token)}/accept`, account ?? {}, { person }),
    onSuccess,
  });
}
