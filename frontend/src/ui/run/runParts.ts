import { partOfPage } from "@/ui/partOfPage";

/** The faces of typed steps, fetched when there is a run to show. */
export const RunSteps = partOfPage(async () => (await import("./RunSteps")).RunSteps);
