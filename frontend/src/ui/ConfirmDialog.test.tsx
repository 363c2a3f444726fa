import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { ConfirmDialog } from "./ConfirmDialog";

const done = vi.fn(() => Promise.resolve());
const closed = vi.fn();

beforeEach(() => {
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
    this.open = false;
  };
  done.mockClear();
  closed.mockClear();
});

async function ask(how: { danger?: boolean; lasting?: boolean }, field = false): Promise<void> {
  render(
    <ConfirmDialog
      opened
      title="Close it for good?"
      confirm="Close for good"
      {...how}
      onConfirm={done}
      onClose={closed}
    >
      It cannot be opened again.
      {field && <input aria-label="Why" defaultValue="As" />}
    </ConfirmDialog>,
  );
  await userEvent.keyboard("{Enter}");
}

test.each([{ danger: true }, { lasting: true }])(
  "what cannot be undone is not done by Enter twice: %o",
  async (how) => {
    await ask(how);
    expect(done).not.toHaveBeenCalled();
    expect(closed).toHaveBeenCalled(); // "Cancel" has the focus
    await userEvent.click(screen.getByRole("button", { name: "Close for good" }));
    expect(done).toHaveBeenCalledOnce();
  },
);

test("where it asks why, the focus is there, and Enter there does nothing", async () => {
  await ask({ danger: true }, true);
  expect([done.mock.calls, closed.mock.calls]).toEqual([[], []]);
  await userEvent.keyboard(" planned");
  expect(screen.getByRole("textbox", { name: "Why" })).toHaveProperty("value", "As planned");
});

test("of what is harmless the button has the focus, and Enter in a line of text is the button", async () => {
  await ask({}, true);
  expect(done).toHaveBeenCalledOnce();
});
