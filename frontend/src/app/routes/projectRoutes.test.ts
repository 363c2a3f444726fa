import { createMemoryRouter, matchRoutes, type RouteObject } from "react-router";
import { expect, test } from "vitest";
import { projectRoutes } from "./projectRoutes";

const PROJECT: RouteObject[] = [{ path: "projects/:slug", children: projectRoutes }];

/** Where a person ends who opens this address. */
async function opened(address: string): Promise<string> {
  const router = createMemoryRouter(PROJECT, { initialEntries: [address] });
  router.initialize();
  await expect.poll(() => router.state.location.pathname, { timeout: 20_000 }).not.toBe(address.split("?")[0]);
  const { pathname, search } = router.state.location;
  router.dispose();
  return pathname + search;
}

test.each([
  ["/projects/algebra/standings", "/projects/algebra/labeler-quality"],
  ["/projects/algebra/triage", "/projects/algebra/label-audits"],
  ["/projects/algebra/triage/7", "/projects/algebra/label-audits/7"],
  ["/projects/algebra/triage/7/review?at=2", "/projects/algebra/label-audits/7/review?at=2"],
])(
  "a bookmark of %s leads to the page's present address",
  async (before, now) => {
    expect(await opened(before)).toBe(now);
    expect(matchRoutes(PROJECT, now)?.at(-1)?.route.lazy).toBeDefined();
  },
  30_000,
);
