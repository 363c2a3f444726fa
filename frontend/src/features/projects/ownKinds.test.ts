import { expect, test } from "vitest";
import { kindsFromText, textOfKinds } from "./ownKinds";

test("a list of kinds is written and read as lines", () => {
  const kinds = kindsFromText("sign | Lost sign | A minus, or | is gone.\n\n units|Wrong units\nloop\n");
  expect(kinds).toEqual([
    { code: "sign", title: "Lost sign", about: "A minus, or | is gone." },
    { code: "units", title: "Wrong units", about: "" },
    { code: "loop", title: "loop", about: "" },
  ]);
  expect(kindsFromText(textOfKinds(kinds))).toEqual(kinds);
});
