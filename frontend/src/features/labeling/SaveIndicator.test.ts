import { expect, test } from "vitest";
import { type SaveIndicatorProps, saveWords } from "./SaveIndicator";

const calm: SaveIndicatorProps = {
  state: "saved",
  detail: "",
  hasWork: true,
  queued: 0,
  unreachable: false,
  durable: true,
};

test.each<[string, Partial<SaveIndicatorProps>]>([
  ["saved", {}],
  ["", { hasWork: false }],
  ["saving…", { state: "waiting" }],
  ["saving…", { state: "saving" }],
  ["sending…", { queued: 1 }],
  ["offline, kept on this device", { state: "offline" }],
  ["offline, kept on this device, 2 submissions waiting", { unreachable: true, queued: 2 }],
  ["offline: keep this tab open", { state: "offline", durable: false }],
  ["not saved on the server, kept here", { state: "refused" }],
])("it says “%s” for %o", (words, change) => {
  expect(saveWords({ ...calm, ...change }).words).toBe(words);
});

test("a server that does not answer while there is a network is not called offline", () => {
  expect(saveWords({ ...calm, state: "offline" }, true).words).toBe("server trouble, kept on this device");
  expect(saveWords({ ...calm, durable: false, unreachable: true }, true).words).toBe(
    "server trouble: keep this tab open",
  );
});
