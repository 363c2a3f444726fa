import { createBrowserRouter, type RouteObject } from "react-router";
import { RequireLogin } from "./RequireLogin";
import { RootPage } from "./RootPage";
import { NotFoundPage, RouteErrorPage } from "./RouteErrorPage";

const publicPages: RouteObject[] = [
  {
    path: "login",
    lazy: async () => ({ Component: (await import("@/features/session/LoginPage")).LoginPage }),
  },
  {
    path: "forgotten-password",
    lazy: async () => ({
      Component: (await import("@/features/session/ForgottenPasswordPage")).ForgottenPasswordPage,
    }),
  },
  {
    path: "new-password/:person/:token",
    lazy: async () => ({ Component: (await import("@/features/session/NewPasswordPage")).NewPasswordPage }),
  },
  {
    path: "invitations/:token",
    lazy: async () => ({ Component: (await import("@/features/session/AcceptInvitationPage")).AcceptInvitationPage }),
  },
];

/** The id of the route to which the pages of `pages.ts` are added. */
const SHELL = "shell";
const LABELING = /^\/projects\/[^/]+\/label(\/[^/]+)?\/?$/;

/**
 * The addresses of pages, in two tables. Each page is a lazy import, loaded only when its address is visited.
 * The pages in this table are those needed for labeling the first step, for login and for an invitation.
 */
const routes: RouteObject[] = [
  {
    ErrorBoundary: RouteErrorPage,
    HydrateFallback: () => null,
    children: [
      { lazy: async () => ({ Component: (await import("./PublicLayout")).PublicLayout }), children: publicPages },
      {
        Component: RequireLogin,
        children: [
          { index: true, Component: RootPage },
          {
            path: "projects/:slug/label",
            lazy: async () => ({ Component: (await import("@/features/labeling/LabelingPage")).LabelingPage }),
          },
          {
            path: "projects/:slug/label/:labelId",
            lazy: async () => ({ Component: (await import("@/features/labeling/LabelingPage")).LabelingPage }),
          },
          { id: SHELL, lazy: async () => ({ Component: (await import("./PagesLayout")).PagesLayout }), children: [] },
        ],
      },
      { path: "*", Component: NotFoundPage },
    ],
  },
];

let complete = false;

export const router = createBrowserRouter(routes, {
  patchRoutesOnNavigation: async ({ path, patch }) => {
    if (complete || LABELING.test(path)) return;
    const { pages } = await import("./pages");
    if (!complete) patch(SHELL, pages);
    complete = true;
  },
});
