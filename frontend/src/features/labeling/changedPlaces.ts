import { changed, signsIn } from "@/ui/math/changes";

/** Mark new mathematics in a step, and in the step before it what is gone, until the returned function is called. */
export function watchChanges(step: number): () => void {
  const roots = [step - 1, step].map((one) => document.querySelector(`[data-traced="${one}"]`));
  const [before, now] = roots;
  if (!before || !now || typeof Highlight === "undefined") return () => undefined;
  const paint = () => {
    const [old, young] = [signsIn(before), signsIn(now)];
    const places = changed(
      old.map(({ key }) => key),
      young.map(({ key }) => key),
    );
    const ranges = (signs: typeof old, left: number[]) => left.flatMap((place) => signs[place]?.range() ?? []);
    CSS.highlights.set("gone", new Highlight(...ranges(old, places.gone)));
    CSS.highlights.set("come", new Highlight(...ranges(young, places.come)));
  };
  // Redrawn text (raw text, a narrower window) has lost its marks.
  let frame = 0;
  const seen = new MutationObserver(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(paint);
  });
  for (const root of [before, now]) seen.observe(root, { childList: true, subtree: true });
  paint();
  return () => {
    cancelAnimationFrame(frame);
    seen.disconnect();
    for (const name of ["gone", "come"]) CSS.highlights.delete(name);
  };
}
