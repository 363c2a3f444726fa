import { expect, test } from "vitest";
import { toggleFolds } from "./unfolding";

test("one key opens a few hundred parts of a step, and the next ones go on where it left off", () => {
  document.body.innerHTML = `<li data-step="0">${"<details><summary>1 item</summary></details>".repeat(700)}</li>`;
  const opened: number[] = [];
  for (let key = 0; key < 4; key += 1) {
    expect(toggleFolds(0)).toBe(true);
    opened.push(document.querySelectorAll("details[open]").length);
  }
  expect(opened).toEqual([300, 600, 700, 0]);
  document.body.innerHTML = "";
});
