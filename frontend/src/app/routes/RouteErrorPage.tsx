import { useRouteError } from "react-router";
import { Button, ButtonLink } from "@/ui/Button";
import { Mark } from "@/ui/Mark";
import { EmptyState, ErrorState } from "@/ui/states";

/** Shown when a page fails to load or render, usually because a new version was deployed: reloading fetches it. */
export function RouteErrorPage() {
  const error = useRouteError();
  return (
    <ErrorState
      title="This page stopped working"
      error={error}
      actions={
        <>
          <Button kind="primary" onClick={() => window.location.reload()}>
            Reload
          </Button>
          <ButtonLink to="/">Start page</ButtonLink>
        </>
      }
    />
  );
}

export function NotFoundPage() {
  return (
    <EmptyState
      mark={<Mark of="nowhere" />}
      title="There is no such page"
      actions={<ButtonLink to="/">Start page</ButtonLink>}
    >
      <p>The address may be wrong, or the page belongs to a project you are not in.</p>
    </EmptyState>
  );
}
