import { partOfPage } from "@/ui/partOfPage";

/** The faces of typed steps are fetched where there is a run to show. */
export const RunSteps = partOfPage(async () => (await import("./RunSteps")).RunSteps);
