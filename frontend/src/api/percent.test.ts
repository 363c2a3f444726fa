import { expect, test } from "vitest";
import * as limits from "./limits";
import { inPercent } from "./percent";

test("the limits of a share are whole in percent, whatever binary fractions say", () => {
  expect(inPercent({ min: 0.07, max: 0.29 })).toEqual({ min: 7, max: 29 });
  expect(inPercent(limits.ByMachineIn.bar)).toEqual({ min: 50, max: 99.9 });
});
