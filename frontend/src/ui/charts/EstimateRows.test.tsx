import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { type EstimateRow, EstimateRows } from "./EstimateRows";

const ALPHA: EstimateRow = {
  key: "alpha",
  name: "Alpha",
  value: -0.12,
  low: -0.67,
  high: -0.04,
  words: "-0.12 (-0.67 to -0.04)",
  tone: "plus",
};

/** The positions of the band and the dot in percent of the axis, and the figures below it. */
function drawn(row: EstimateRow) {
  const { container } = render(<EstimateRows rows={[row]} />);
  const [band, dot] = ["i", "b"].map((mark) => container.querySelector<HTMLElement>(`li ${mark}`)?.style);
  const left = Number.parseFloat(band?.left ?? "");
  const marks = [...container.querySelectorAll("div > div > span")].map((mark) => mark.textContent);
  return { left, right: left + Number.parseFloat(band?.width ?? ""), dot: Number.parseFloat(dot?.left ?? ""), marks };
}

test("an alpha below 0 is drawn where it is, on an axis that begins at -1", () => {
  const { left, right, dot, marks } = drawn(ALPHA);
  expect([left, dot, right].map((place) => Math.round(place * 10) / 10)).toEqual([16.5, 44, 48]);
  expect(marks).toHaveLength(5);
  expect([marks[0], marks[2], marks[4]].map((mark) => Number(mark?.replace("−", "-")))).toEqual([-1, 0, 1]);
});

test("what is not below 0 has all of its axis from 0 on", () => {
  const { left, right, dot } = drawn({ ...ALPHA, value: 0.5, low: 0.25, high: 1 });
  expect([left, dot, right]).toEqual([25, 50, 100]);
});

test("an interval beyond the axis is cut at its end", () => {
  const { left, right } = drawn({ ...ALPHA, low: -0.5, high: 1.2 });
  expect([left, right]).toEqual([25, 100]);
});
