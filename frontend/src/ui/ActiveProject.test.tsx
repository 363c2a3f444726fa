import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, test } from "vitest";
import { ArchivedProject, StartLink, WhileActive } from "./ActiveProject";

function shown(archived: boolean | null): string[] {
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

afterEach(cleanup);

test("an archived project offers nothing new to begin", () => {
  expect(shown(true)).toEqual([]);
  expect(shown(false)).toEqual(["New round", "Make them gold"]);
});

test("until it is known whether a project is archived, what begins something only takes up its room", () => {
  expect(shown(null)).toEqual([]);
  const start = screen.getByText("New round");
  expect(start.closest("[inert]")).not.toBeNull();
  expect(getComputedStyle(start).visibility).toBe("hidden");
});
