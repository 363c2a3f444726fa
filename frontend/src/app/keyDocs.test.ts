import { expect, test } from "vitest";
import { pathCommands } from "@/protocol/choose_step/commands";
import { commands } from "@/protocol/commands";
import type { Binding } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import { progressCommands } from "@/protocol/mistakeCommands";
import page from "../../../docs/labeling-page.md?raw";

const GROUPS = ["Rate", "Move", "Mistake", "Say", "Tools", "Page"];

function rowsOf(list: readonly Binding[]): string[] {
  const cap = (key: string) => `\`${showKey(key)}\``;
  return GROUPS.flatMap((group) =>
    list
      .filter((command) => command.group === group)
      .map((command) => `| ${command.keys.map(cap).join(" ")} | ${command.title} |`),
  );
}

/** The rows of the first table of keys after a heading. */
function tableUnder(heading: string): string[] {
  const section = page.slice(page.indexOf(`\n${heading}\n`));
  const table = section.slice(section.indexOf("| key |"));
  return table.slice(0, table.indexOf("\n\n")).split("\n").slice(2);
}

test("the tables of keys in docs/labeling-page.md are the command lists'", () => {
  expect(tableUnder("## Keys")).toEqual(rowsOf([...progressCommands, ...commands]));
  const own = pathCommands.filter(
    ({ name, title }) => !commands.some((one) => one.name === name && one.title === title),
  );
  expect(tableUnder("## Choosing a path")).toEqual(rowsOf(own));
});
