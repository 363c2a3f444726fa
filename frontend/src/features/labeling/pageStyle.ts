import type { CSSProperties } from "react";
import type { PageChoices } from "@/api/preferences";

/** How a labeling page's outermost element reflects the person's choices. The rest is in the style sheets. */
export function pageStyle({ text_size: size, line_width: width, density, calls }: PageChoices) {
  const style = size === 100 ? undefined : ({ "--read-scale": size / 100 } as CSSProperties);
  return { style, "data-width": width, "data-density": density, "data-calls": calls };
}
