import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { api } from "./client";
import type { LoggedOut, Preferences, Role, Session, SessionUser } from "./types";

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => api.get<Session>("/api/session", { signal, person: null }), // who it is, is the question
  staleTime: 5 * 60_000,
});

export function useSession() {
  return useQuery(sessionQuery);
}

/**
 * Who the route that asks for a login let in. Its pages read it here and not in the session: at a logout the session
 * changes a moment before that route is told, and a page that was drawn in between had nobody.
 */
export const LoggedInPerson = createContext<SessionUser | null>(null);

/** The logged-in person; only for pages below the route that asks for a login. */
export function useUser(): SessionUser {
  const user = useContext(LoggedInPerson);
  if (!user) throw new Error("useUser is for pages that need a login.");
  return user;
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

/** Whether the person does more anywhere than label. */
export function runsAProject(user: SessionUser): boolean {
  return user.is_superuser || user.memberships.some(({ role }) => role !== "annotator");
}

interface SavedPreferences {
  /** What they become, from what they are at this moment. */
  save: (change: (now: Preferences) => Preferences) => void;
  error: Error | null;
}

/**
 * Save the preferences; shown at once, put back when the server refuses. Each change is made to what the one before it
 * left, also where that is still on its way, and no answer to an older question puts it back.
 */
export function useSavePreferences(): SavedPreferences {
  const client = useQueryClient();
  const show = (preferences: Preferences) =>
    client.setQueryData(sessionQuery.queryKey, (session) =>
      session?.user ? { ...session, user: { ...session.user, preferences } } : session,
    );
  const { mutate, error } = useMutation({
    // One after the other: of two that are on their way at once the first may arrive last.
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

/** Forget everything that was read but the session: whoever comes next may not see it. */
export function forgetWhatWasRead(client: QueryClient): void {
  // Not all at once: whoever shows the session would go on looking at the one that was thrown away.
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionQuery.queryKey[0] });
}

/** Log out and forget everything that was read; the page then asks for a login. */
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
