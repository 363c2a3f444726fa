import { createMemoryRouter, matchRoutes, type RouteObject } from "react-router";
import { expect, test } from "vitest";
import { labelerPages, sections } from "./projectPages";
import { projectRoutes } from "./projectRoutes";

const PROJECT: RouteObject[] = [{ path: "projects/:slug", children: projectRoutes }];

/** The address at which someone ends up who opens this one. */
async function opened(address: string): Promise<string> {
  const router = createMemoryRouter(PROJECT, { initialEntries: [address] });
  router.initialize();
  await expect.poll(() => router.state.location.pathname, { timeout: 20_000 }).not.toBe(address.split("?")[0]);
  const { pathname, search } = router.state.location;
  router.dispose();
  return pathname + search;
}

test.each([
  ["/projects/algebra/overview", "/projects/algebra/home"],
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

test("every page of a project stands in exactly one section, and every section's pages have a route", () => {
  const paths = sections.flatMap((section) => section.pages.map(({ path }) => path));
  expect(new Set(paths).size).toBe(paths.length);
  const elsewhere = [...labelerPages.map(({ path }) => path), "label"]; // the labeling page has the window to itself
  const routed = projectRoutes.filter((route) => route.lazy && route.path && !/[/:]/.test(route.path));
  expect(routed.map(({ path }) => path).filter((path) => !paths.includes(path ?? ""))).toEqual([]);
  expect(paths.filter((path) => !routed.some((route) => route.path === path) && !elsewhere.includes(path))).toEqual([]);
  expect(sections.map(({ name }) => name)).toEqual(
    "Home Data Rounds Labels People Models Releases Settings Label".split(" "),
  );
});
