import type { RouteObject } from "react-router";
import { projectRoutes } from "./projectRoutes";

/** Pages in the shell with navigation. Their addresses are loaded with the first of them: labeling needs none. */
export const pages: RouteObject[] = [
  {
    path: "projects",
    lazy: async () => ({ Component: (await import("@/features/projects/ProjectsPage")).ProjectsPage }),
  },
  {
    path: "account",
    lazy: async () => ({ Component: (await import("@/features/account/AccountPage")).AccountPage }),
  },
  {
    path: "account/labeling",
    lazy: async () => ({ Component: (await import("@/features/labeling/ChoicesPage")).ChoicesPage }),
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
