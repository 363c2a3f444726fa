import { useQueryClient } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useLayoutEffect, useState, useSyncExternalStore } from "react";
import { Navigate, Outlet, useLocation } from "react-router";
import { pageBelongsTo } from "@/api/client";
import { personCheck } from "@/api/personCheck";
import { forgetWhatWasRead, LoggedInPerson, sessionQuery, useSession } from "@/api/session";
import type { SessionUser } from "@/api/types";
import { partOfPage } from "@/ui/partOfPage";
import { ErrorState, SkeletonLines } from "@/ui/states";

const CheckAgain = lazy(async () => ({ default: (await import("@/features/session/CheckAgain")).CheckAgain }));

const SomebodyElse = partOfPage(async () => (await import("./SomebodyElse")).SomebodyElse);

/** Guards the pages below this route: anyone not logged in is sent to the login page and returns after logging in. */
export function RequireLogin() {
  const session = useSession();
  const location = useLocation();
  const client = useQueryClient();
  const checking = useSyncExternalStore(personCheck.answeredHere, personCheck.isAsked);

  useEffect(() => {
    const askAgain = () => void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    window.addEventListener("stepmark:logged-out", askAgain);
    return () => window.removeEventListener("stepmark:logged-out", askAgain);
  }, [client]);

  if (session.isPending) {
    return (
      <div style={{ maxWidth: 640, margin: "20vh auto", padding: "0 20px" }}>
        <SkeletonLines lines={3} />
      </div>
    );
  }
  if (session.isError && !session.data)
    return <ErrorState error={session.error} retry={() => void session.refetch()} />;
  if (!session.data?.user) {
    const back = `${location.pathname}${location.search}`;
    return <Navigate to={`/login?next=${encodeURIComponent(back)}`} replace />;
  }
  return (
    <LetIn user={session.data.user}>
      <Outlet />
      {checking && (
        <Suspense fallback={null}>
          <CheckAgain />
        </Suspense>
      )}
    </LetIn>
  );
}

/**
 * The page keeps belonging to the person who was let in first. If someone else logs in in another tab, they must reload
 * it: what is shown and written here is not theirs.
 */
function LetIn({ user, children }: { user: SessionUser; children: ReactNode }) {
  const [owner] = useState(user);
  const client = useQueryClient();
  // A layout effect, so it runs before the effects of the pages below, which ask the server in this person's name.
  useLayoutEffect(() => {
    pageBelongsTo(owner.id);
    return () => {
      pageBelongsTo(null);
      forgetWhatWasRead(client);
    };
  }, [owner.id, client]);
  if (user.id !== owner.id) return <SomebodyElse owner={owner} user={user} />;
  return <LoggedInPerson value={user}>{children}</LoggedInPerson>;
}
