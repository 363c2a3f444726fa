import { expect, test } from "vitest";
import { commands } from "@/protocol/commands";
import { showKey } from "@/protocol/keys";
import { progressCommands } from "@/protocol/mistakeCommands";
import page from "../../../docs/labeling-page.md?raw";

test("the table of keys in docs/labeling-page.md is the command list's", () => {
  const cap = (key: string) => `\`${showKey(key)}\``;
  const groups = ["Rate", "Move", "Mistake", "Say", "Tools", "Page"];
  const rows = groups.flatMap((group) =>
    [...progressCommands, ...commands]
      .filter((command) => command.group === group)
      .map((command) => `| ${command.keys.map(cap).join(" ")} | ${command.title} |`),
  );
  const table = page.slice(page.indexOf("| key |"), page.indexOf("\n\n- A key"));
  expect(table.split("\n").slice(2)).toEqual(rows);
});
