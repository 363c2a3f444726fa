import { lazy, Suspense } from "react";

// Most of what shows headings comes with the first page, which needs no glossary.
const TermMark = lazy(() => import("./TermMark"));

interface TermProps {
  children: string;
  /** Only where the heading is the word and nothing more: it may be somebody's own name. */
  whole?: boolean;
}

/** A heading, and beside it what its word means where it is one of the glossary's. */
export function Term({ children, whole }: TermProps) {
  return (
    <>
      {children}
      <Suspense fallback={null}>
        <TermMark heading={children} whole={whole} />
      </Suspense>
    </>
  );
}
