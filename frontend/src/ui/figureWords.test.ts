import cases from "@cases/figure_cases.json";
import { expect, test } from "vitest";
import { FIGURES, FIGURES_OF_ANSWERS } from "./figureWords";

test.each([FIGURES, FIGURES_OF_ANSWERS])(
  "of the figures that are better when lower, and of no other, it is said",
  (figures) => {
    const said = Object.entries(figures).filter(([, { means }]) => means.endsWith("; lower is better"));
    expect(said.map(([name]) => name).sort()).toEqual(cases.lower_is_better);
  },
);
