import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "./client";
import type { LoggedOut, Preferences, Role, Session, SessionUser } from "./types";

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => api.get<Session>("/api/session", { signal }),
  staleTime: 5 * 60_000,
});

export function useSession() {
  return useQuery(sessionQuery);
}

/** The logged-in person; only for pages below the route that asks for a login. */
export function useUser(): SessionUser {
  const { data } = useSession();
  if (!data?.user) throw new Error("useUser is for pages that need a login.");
  return data.user;
}

const LADDER: Role[] = ["annotator", "researcher", "admin"];

/** The person's role in a project; a superuser is an admin everywhere; null when not a member. */
export function roleIn(user: SessionUser, slug: string): Role | null {
  if (user.is_superuser) return "admin";
  return user.memberships.find((membership) => membership.project.slug === slug)?.role ?? null;
}

export function hasRole(role: Role | null, least: Role): boolean {
  return role !== null && LADDER.indexOf(role) >= LADDER.indexOf(least);
}

/** Save the whole preferences object; shown at once, put back when the server refuses. */
export function useSavePreferences() {
  const client = useQueryClient();
  return useMutation({
    // One after the other: of two that are on their way at once the first may arrive last.
    scope: { id: "preferences" },
    mutationFn: (preferences: Preferences) => api.put<Session>("/api/session/preferences", { preferences }),
    onMutate: (preferences) => {
      const before = client.getQueryData(sessionQuery.queryKey);
      client.setQueryData(sessionQuery.queryKey, (session) =>
        session?.user ? { ...session, user: { ...session.user, preferences } } : session,
      );
      return { before };
    },
    onError: (_error, _preferences, context) => client.setQueryData(sessionQuery.queryKey, context?.before),
  });
}

/** Log out and forget everything that was read; the page then asks for a login. */
export function useLogOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post<LoggedOut>("/api/session/logout"),
    onSuccess: ({ leave_to }) => {
      client.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, user: null });
      client.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionQuery.queryKey[0] });
      if (leave_to) window.location.assign(leave_to); // the session at the sign-in provider
    },
  });
}
