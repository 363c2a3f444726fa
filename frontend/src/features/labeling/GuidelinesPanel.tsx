import { useQuery } from "@tanstack/react-query";
import { partOfPage } from "@/ui/partOfPage";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import dialogClasses from "./dialogParts.module.css";
import { guidelineQuery } from "./queries";

const loadReader = () => Promise.all([import("@/ui/Markdown"), import("@/ui/markdownToHtml")]);
const Markdown = partOfPage(
  async () => (await loadReader())[0].Markdown,
  <SkeletonLines lines={6} label="Loading the guidelines" />,
);

/** The project's guidelines next to the work. The server records on the label which version was in force. */
export function GuidelinesPanel({ slug }: { slug: string }) {
  const guideline = useQuery(guidelineQuery(slug));
  return (
    <>
      {guideline.isPending && <SkeletonLines lines={6} label="Loading the guidelines" />}
      {guideline.isError && <ErrorState inline error={guideline.error} retry={() => void guideline.refetch()} />}
      {guideline.data && guideline.data.version === 0 && (
        <EmptyState inline title="No guidelines yet">
          <p>This project has none yet.</p>
        </EmptyState>
      )}
      {guideline.data && guideline.data.version > 0 && (
        <>
          <p className={dialogClasses.quiet}>Version {guideline.data.version}</p>
          <Markdown source={guideline.data.body} />
        </>
      )}
    </>
  );
}
