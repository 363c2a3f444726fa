import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { ErrorState, WayOut } from "./states";

afterEach(cleanup);

/** The names of what the person can press. */
function ways(error: unknown, actions?: string): string[] {
  render(
    <WayOut value={<button type="button">Back to Rounds</button>}>
      <ErrorState error={error} retry={() => undefined} actions={actions && <button type="button">{actions}</button>} />
    </WayOut>,
  );
  const names = screen.queryAllByRole("button").map((button) => button.textContent ?? "");
  cleanup();
  return names;
}

const refusal = (status: number) => Object.assign(new Error("There is no such round."), { status });

test("what is not there or not allowed offers the way out; everything else can be tried again", () => {
  expect(ways(refusal(404))).toEqual(["Back to Rounds"]);
  expect(ways(refusal(403))).toEqual(["Back to Rounds"]);
  expect(ways(refusal(404), "My work")).toEqual(["My work"]);
  expect(ways(refusal(500))).toEqual(["Try again"]);
  expect(ways(refusal(500), "My work")).toEqual(["Try again", "My work"]);
  expect(ways(new Error("You are offline."))).toEqual(["Try again"]);
  expect(ways(null)).toEqual(["Try again"]);
});
