import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { api } from "./client";
import type { LoggedOut, Preferences, Role, Session, SessionUser } from "./types";

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => api.get<Session>("/api/session", { signal, person: null }), // it finds out who is logged in
  staleTime: 5 * 60_000,
});

export function useSession() {
  return useQuery(sessionQuery);
}

/**
 * The person let in by the route that asks for a login. Its pages read it here and not from the session: at a logout,
 * the session changes a moment before that route hears of it, so a page rendered in between would have no person.
 */
export const LoggedInPerson = createContext<SessionUser | null>(null);

/** The logged-in person; only for pages below the route that asks for a login. */
export function useUser(): SessionUser {
  const user = useContext(LoggedInPerson);
  if (!user) throw new Error("useUser is for pages that need a login.");
  return user;
}

const LADDER: Role[] = ["annotator", "researcher", "admin"];

/** The person's role in a project, or null if they are not a member; a superuser is an admin everywhere. */
export function roleIn(user: SessionUser, slug: string): Role | null {
  if (user.is_superuser) return "admin";
  return user.memberships.find((membership) => membership.project.slug === slug)?.role ?? null;
}

export function hasRole(role: Role | null, least: Role): boolean {
  return role !== null && LADDER.indexOf(role) >= LADDER.indexOf(least);
}

/** Does the person have a role above annotator in any project? */
export function runsAProject(user: SessionUser): boolean {
  return user.is_superuser || user.memberships.some(({ role }) => role !== "annotator");
}

interface SavedPreferences {
  /** Save the result of `change`, which gets the preferences as they are now. */
  save: (change: (now: Preferences) => Preferences) => void;
  error: Error | null;
}

/**
 * Save the preferences. They are shown at once and reverted if the server refuses. Each change builds on the one
 * before, even while that is still being saved, and a response to an earlier read does not revert it.
 */
export function useSavePreferences(): SavedPreferences {
  const client = useQueryClient();
  const show = (preferences: Preferences) =>
    client.setQueryData(sessionQuery.queryKey, (session) =>
      session?.user ? { ...session, user: { ...session.user, preferences } } : session,
    );
  const { mutate, error } = useMutation({
    // One at a time: of two requests sent at once, the first may arrive last.
    scope: { id: "preferences" },
    mutationFn: ({ next }: { next: Preferences; before: Preferences }) =>
      api.put<Session>("/api/session/preferences", { preferences: next }),
    onError: (_error, { before }) => show(before),
  });
  return {
    error,
    save: (change) => {
      const before = client.getQueryData(sessionQuery.queryKey)?.user?.preferences ?? {};
      const next = change(before);
      void client.cancelQueries(sessionQuery);
      show(next);
      mutate({ next, before });
    },
  };
}

/** Remove everything that was read except the session: the next person may not see it. */
export function forgetWhatWasRead(client: QueryClient): void {
  // Keep the session: components that show it would keep observing the removed query.
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionQuery.queryKey[0] });
}

/** Log out and remove everything that was read; the page then asks for a login. */
export function useLogOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post<LoggedOut>("/api/session/logout"),
    onSuccess: ({ leave_to }) => {
      client.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, user: null });
      forgetWhatWasRead(client);
      if (leave_to) window.location.assign(leave_to); // the session at the sign-in provider
    },
  });
}
