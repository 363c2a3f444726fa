import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { NOTICE_KINDS } from "@/api/deskTypes";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { WebhooksPage } from "./WebhooksPage";

afterEach(closeTestPage);

const KIND = NOTICE_KINDS.round_finished.name;
const SECRET = "whsec_of_the_server";

async function open() {
  const sent: unknown[] = [];
  openTestPage({
    page: <WebhooksPage />,
    at: "/projects/demo/webhooks",
    path: "/projects/:slug/webhooks",
    answers: {
      "/api/projects/demo/webhooks": (body: string | undefined) => {
        if (body === undefined) return { hosts: ["hooks.example.org"], results: [] };
        sent.push(JSON.parse(body));
        return { id: 3, url: "https://hooks.example.org/x", format: "standard", kinds: [], secret: SECRET };
      },
      "/api/projects/demo/deliveries": { results: [], next: null },
    },
  });
  await screen.findByRole("form", { name: "Add a webhook" });
  return sent;
}

const address = () => screen.getByLabelText<HTMLInputElement>("Address");
const asSlack = () => screen.getByLabelText<HTMLInputElement>(/^A text, as Slack takes it/);
const box = () => screen.getByLabelText<HTMLInputElement>(KIND);

test("a webhook that was being added comes back as it was left, but for its address: that can be a secret", async () => {
  await open();
  fireEvent.change(address(), { target: { value: "https://hooks.example.org/T0/B0/kept-nowhere" } });
  fireEvent.click(asSlack());
  fireEvent.click(box());
  expect(JSON.stringify({ ...sessionStorage, ...localStorage })).not.toContain("kept-nowhere");
  cleanup();
  await open();
  expect(screen.getByText("As you left it.")).toBeDefined();
  expect([asSlack().checked, box().checked, address().value]).toEqual([true, false, ""]);
  fireEvent.change(address(), { target: { value: "https://hooks.example.org/again" } });
  fireEvent.click(screen.getByText("Start over"));
  expect([asSlack().checked, box().checked, address().value]).toEqual([false, true, ""]);
});

test("once it is added nothing of it is kept, and the secret never is", async () => {
  const sent = await open();
  fireEvent.change(address(), { target: { value: "https://hooks.example.org/x" } });
  fireEvent.click(box());
  fireEvent.click(screen.getByText("Add the webhook"));
  expect(await screen.findByDisplayValue(SECRET)).toBeDefined();
  expect(sent).toMatchObject([{ url: "https://hooks.example.org/x", format: "standard" }]);
  expect(JSON.stringify({ ...sessionStorage, ...localStorage })).not.toContain(SECRET);
  cleanup();
  await open();
  expect(screen.queryByText("As you left it.")).toBeNull();
  expect(box().checked).toBe(true);
});
