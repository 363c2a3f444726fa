import { createBrowserRouter, type RouteObject } from "react-router";
import { projectRoutes } from "./projectRoutes";
import { RequireLogin } from "./RequireLogin";
import { RootPage } from "./RootPage";
import { NotFoundPage, RouteErrorPage } from "./RouteErrorPage";

/**
 * Every page's address in one table. A page is loaded only when its address is visited: one lazy import each.
 * Pages under `PagesLayout` stand in the shell with navigation; the labeling page has the window to itself.
 */
const pages: RouteObject[] = [
  {
    path: "projects",
    lazy: async () => ({ Component: (await import("@/features/projects/ProjectsPage")).ProjectsPage }),
  },
  {
    path: "account",
    lazy: async () => ({ Component: (await import("@/features/account/AccountPage")).AccountPage }),
  },
  {
    path: "api-reference",
    lazy: async () => ({ Component: (await import("@/features/reference/ApiPage")).ApiPage }),
  },
  {
    path: "site",
    lazy: async () => ({ Component: (await import("@/features/site/SitePage")).SitePage }),
  },
  {
    path: "notices",
    lazy: async () => ({ Component: (await import("@/features/notices/NoticesPage")).NoticesPage }),
  },
  {
    path: "projects/:slug",
    lazy: async () => ({ Component: (await import("./ProjectLayout")).ProjectLayout }),
    children: projectRoutes,
  },
];

const publicPages: RouteObject[] = [
  {
    path: "login",
    lazy: async () => ({ Component: (await import("@/features/session/LoginPage")).LoginPage }),
  },
  {
    path: "invitations/:token",
    lazy: async () => ({ Component: (await import("@/features/session/AcceptInvitationPage")).AcceptInvitationPage }),
  },
];

export const routes: RouteObject[] = [
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
          { lazy: async () => ({ Component: (await import("./PagesLayout")).PagesLayout }), children: pages },
        ],
      },
      { path: "*", Component: NotFoundPage },
    ],
  },
];

export const router = createBrowserRouter(routes);
