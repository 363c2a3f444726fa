import { fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { Sources } from "@/api/sourceTypes";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { NewSourceForm } from "./NewSourceForm";

afterEach(closeTestPage);

const most = (name: string, typed: string) => {
  const field = screen.getByLabelText<HTMLInputElement>(name);
  fireEvent.change(field, { target: { value: typed } });
  fireEvent.blur(field);
  return screen.getByLabelText<HTMLInputElement>(name).value;
};

test("a source takes as many rollouts of a prefix as the API, and no more votes of a judge", () => {
  openTestPage({
    page: <NewSourceForm slug="demo" sources={{ results: [], judge_templates: [] } as unknown as Sources} />,
  });
  fireEvent.click(screen.getByLabelText(/Rollouts/));
  expect(most("Rollouts per prefix", "300")).toBe("256");
  fireEvent.click(screen.getByLabelText(/^Judge/));
  expect(screen.getByLabelText<HTMLInputElement>("Votes").value).toBe("64");
  expect(most("Votes", "65")).toBe("64");
});
