import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import dialogClasses from "./dialogParts.module.css";
import { guidelineQuery } from "./queries";

const loadMarkdown = () => import("@/ui/Markdown");
/** As large as the rest of the page: it comes once the first task is there, so that it is there without a network. */
export const loadReader = () => Promise.all([loadMarkdown(), import("@/ui/markdownToHtml")]);
const Markdown = lazy(() => loadMarkdown().then(({ Markdown: named }) => ({ default: named })));

/** The project's guidelines beside the work; which version was in force is stamped on the label by the server. */
export function GuidelinesPanel({ slug }: { slug: string }) {
  const guideline = useQuery(guidelineQuery(slug));
  return (
    <>
      {guideline.isPending && <SkeletonLines lines={6} label="Loading the guidelines" />}
      {guideline.isError && <ErrorState inline error={guideline.error} retry={() => void guideline.refetch()} />}
      {guideline.data && guideline.data.version === 0 && (
        <EmptyState inline title="No guidelines yet">
          <p>This project’s researchers have not written any.</p>
        </EmptyState>
      )}
      {guideline.data && guideline.data.version > 0 && (
        <>
          <p className={dialogClasses.quiet}>Version {guideline.data.version}</p>
          <Suspense fallback={<SkeletonLines lines={6} label="Loading the guidelines" />}>
            <Markdown source={guideline.data.body} />
          </Suspense>
        </>
      )}
    </>
  );
}
