import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { GroupedChoices } from "./Form";
import { FormatTitle } from "./FormatTitle";
import { idBeside } from "./formatWords";

test("a format has its id beside its title, unless they are the same word", () => {
  expect(idBeside("Traces", "neutral")).toBe("neutral");
  expect(idBeside("PRM800K", "prm800k")).toBe("");
  const { container, rerender } = render(<FormatTitle title="Traces" id="neutral" />);
  expect(container.textContent).toBe("Traces neutral");
  rerender(<FormatTitle title={undefined} id="neutral" />);
  expect(container.textContent).toBe("neutral");
});

test("a choice is called by its name alone, and described by its id", () => {
  const choices = [
    { value: "neutral", name: "Traces", id: "neutral" },
    { value: "auto", name: "Find out" },
  ];
  render(
    <GroupedChoices
      legend="Format"
      name="format"
      groups={[{ name: "Labels", means: "all", choices }]}
      value="auto"
      onChange={() => undefined}
    >
      <p />
    </GroupedChoices>,
  );
  const described = screen.getByRole("radio", { name: "Traces" }).getAttribute("aria-describedby") ?? "";
  expect(document.getElementById(described)?.textContent).toBe("neutral");
  expect(screen.getByRole("radio", { name: "Find out" }).getAttribute("aria-describedby")).toBeNull();
});
