import { render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { expect, test } from "vitest";
import { ArchivedProject, StartLink, WhileActive } from "./ActiveProject";

function shown(archived: boolean): string[] {
  render(
    <MemoryRouter>
      <ArchivedProject value={archived}>
        <StartLink to="/projects/demo/rounds/new">New round</StartLink>
        <WhileActive>
          <a href="#gold">Make them gold</a>
        </WhileActive>
      </ArchivedProject>
    </MemoryRouter>,
  );
  return screen.queryAllByRole("link").map((link) => link.textContent ?? "");
}

test("an archived project offers nothing new to begin", () => {
  expect(shown(true)).toEqual([]);
  expect(shown(false)).toEqual(["New round", "Make them gold"]);
});
