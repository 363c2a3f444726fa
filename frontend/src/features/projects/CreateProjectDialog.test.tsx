import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { CreateProjectDialog } from "./CreateProjectDialog";

afterEach(closeTestPage);

function openAnew() {
  cleanup();
  openTestPage({ page: <CreateProjectDialog opened onClose={() => undefined} /> });
}

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);

test("the form of a new project is as it was left, and empty once it was cancelled", () => {
  openAnew();
  fireEvent.change(field("Name"), { target: { value: "Olympiad algebra" } });
  fireEvent.change(field("Description"), { target: { value: "Rate each line." } });
  openAnew();
  expect([field("Name").value, field("Address").value]).toEqual(["Olympiad algebra", "olympiad-algebra"]);
  expect(field("Description").value).toBe("Rate each line.");
  expect(screen.getByRole("status").textContent).toContain("As you left it.");
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  openAnew();
  expect(field("Name").value).toBe("");
  expect(screen.queryByRole("status")).toBeNull();
});
