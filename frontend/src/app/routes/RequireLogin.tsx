import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useSyncExternalStore } from "react";
import { Navigate, Outlet, useLocation } from "react-router";
import { personCheck } from "@/api/personCheck";
import { LoggedInPerson, sessionQuery, useSession } from "@/api/session";
import { ErrorState, SkeletonLines } from "@/ui/states";

const CheckAgain = lazy(async () => ({ default: (await import("@/features/session/CheckAgain")).CheckAgain }));

/** Pages below this route have a logged-in person; anybody else is sent to the login page and comes back after it. */
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
    <LoggedInPerson value={session.data.user}>
      <Outlet />
      {checking && (
        <Suspense fallback={null}>
          <CheckAgain />
        </Suspense>
      )}
    </LoggedInPerson>
  );
}
