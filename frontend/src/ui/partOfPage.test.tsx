import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { fetchedOnce, fetchParts, partOfPage } from "./partOfPage";

const Words = ({ text }: { text: string }) => <p>{text}</p>;

test("A part that was fetched before is shown in its first frame", async () => {
  const Part = partOfPage<{ text: string }>(async () => Words);
  await fetchParts();
  render(<Part text="here" />);
  expect(screen.getByText("here")).toBeTruthy();
});

test("A part that does not come says so, and comes when it is asked for again", async () => {
  let network = false;
  const Part = partOfPage<{ text: string }>(async () => {
    if (!network) throw new Error("No network.");
    return Words;
  }, "fetching");
  await fetchParts(); // does not throw
  render(<Part text="here at last" />);
  expect(screen.getByText("fetching")).toBeTruthy();
  expect((await screen.findByRole("alert")).textContent).toContain("No network.");
  network = true;
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("here at last")).toBeTruthy();
});

test("Code that came is not asked for twice, and code that failed is", async () => {
  let asked = 0;
  const fetch = fetchedOnce(async () => {
    asked += 1;
    if (asked === 1) throw new Error("No network.");
    return "code";
  });
  await expect(fetch()).rejects.toThrow("No network.");
  expect(await Promise.all([fetch(), fetch()])).toEqual(["code", "code"]);
  expect(asked).toBe(2);
});

test("Parts of a part are fetched with it", async () => {
  let inner = false;
  fetchedOnce(async () => {
    fetchedOnce(async () => {
      inner = true;
    });
  });
  await fetchParts();
  expect(inner).toBe(true);
});
