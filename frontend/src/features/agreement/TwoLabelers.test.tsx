import { fireEvent, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, expect, test } from "vitest";
import type { Agreement } from "@/api/reviewTypes";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { TwoLabelers } from "./TwoLabelers";

afterEach(closeTestPage);

const labelers = ["Ada", "Bert", "Cleo"].map(
  (name, id) => ({ id, display_name: name, kind: "person" }) as Agreement["labelers"][number],
);

function Chosen() {
  const [filters, set] = useState({ one: "", other: "" });
  return (
    <>
      <TwoLabelers labelers={labelers} filters={filters} setFilters={(changes) => set({ ...filters, ...changes })} />
      <output>{`${filters.one} ${filters.other}`}</output>
    </>
  );
}

test("a second labeler is chosen after the first, and is never the same person", () => {
  openTestPage({ page: <Chosen /> });
  const [one, other] = [screen.getByLabelText("Labeler"), screen.getByLabelText("and labeler")];
  expect(other).toHaveProperty("disabled", true);
  fireEvent.change(one, { target: { value: "0" } });
  expect([...other.querySelectorAll("option")].map((option) => option.textContent)).toEqual([
    "choose one",
    "Bert",
    "Cleo",
  ]);
  fireEvent.change(other, { target: { value: "1" } });
  expect(screen.getByRole("status").textContent).toBe("0 1");
  fireEvent.change(one, { target: { value: "1" } });
  expect(screen.getByRole("status").textContent).toBe("1 ");
  fireEvent.change(other, { target: { value: "2" } });
  fireEvent.change(one, { target: { value: "" } });
  expect(screen.getByRole("status").textContent).toBe(" ");
});
