import { lazy, Suspense } from "react";

// Loaded lazily: most components with headings are part of the first page, which needs no glossary.
const TermMark = lazy(() => import("./TermMark"));

interface TermProps {
  children: string;
  /** Only if the heading is exactly the word; otherwise it may be a name that a person chose. */
  whole?: boolean;
}

/** A heading with a mark for its meaning if it contains a glossary word. */
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
