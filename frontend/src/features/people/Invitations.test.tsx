import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { Invitation } from "@/api/projectTypes";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { Invitations } from "./Invitations";

afterEach(closeTestPage);

const REFUSED: Invitation = {
  id: 7,
  role: "annotator",
  email: "nobody@example.org",
  username: "",
  state: "open",
  created_at: "2026-11-28T12:00:00Z",
  created_by: { id: 1, display_name: "Emmy" },
  expires_at: "2026-12-05T12:00:00Z",
  accepted_by: null,
  undelivered: "550 5.1.1 no such user",
};

test("an invitation whose mail was refused says why, and its link is copied from a new one in its place", async () => {
  const sent: string[] = [];
  openTestPage({
    page: <Invitations slug="demo" />,
    answers: {
      "/api/projects/demo/invitations": (body: string | undefined) => {
        if (body === undefined) return { results: [REFUSED, { ...REFUSED, id: 6, undelivered: "" }], next: null };
        sent.push(body);
        return { ...REFUSED, id: 8, undelivered: "", url_path: "/invitations/secret" };
      },
      "/api/invitations/7/revoke": () => {
        sent.push("revoked 7");
        return { ...REFUSED, state: "revoked", undelivered: "" };
      },
    },
  });
  expect(await screen.findAllByText(/The mail could not be delivered: 550 5\.1\.1 no such user/)).toHaveLength(1);
  fireEvent.click(screen.getByRole("button", { name: "Copy the link" }));
  expect(await screen.findByDisplayValue(/\/invitations\/secret$/)).toBeDefined();
  expect(JSON.parse(sent[0] ?? "")).toMatchObject({ role: "annotator", email: "nobody@example.org", mail: false });
  expect(sent[1]).toBe("revoked 7");
});

test("an invitation that was left comes back; once it is made only its role and its days stay", async () => {
  const open = () =>
    openTestPage({
      page: <Invitations slug="demo" />,
      answers: {
        "/api/projects/demo/invitations": (body: string | undefined) =>
          body === undefined ? { results: [], next: null } : { ...REFUSED, url_path: "/invitations/secret" },
      },
    });
  const email = () => screen.getByLabelText<HTMLInputElement>("Email (optional)");
  const role = () => screen.getByLabelText<HTMLSelectElement>("Role");
  const came = () => screen.queryByText("As you left it.") !== null;
  open();
  fireEvent.change(email(), { target: { value: "grace@example.org" } });
  fireEvent.change(role(), { target: { value: "researcher" } });
  cleanup();
  open();
  expect([email().value, role().value, came()]).toEqual(["grace@example.org", "researcher", true]);
  fireEvent.click(screen.getByRole("button", { name: "Make an invitation link" }));
  expect(await screen.findByDisplayValue(/\/invitations\/secret$/)).toBeDefined();
  expect([email().value, role().value, came()]).toEqual(["", "researcher", false]);
  expect(JSON.stringify({ ...sessionStorage })).not.toContain("secret");
  cleanup();
  open();
  expect([email().value, role().value, came()]).toEqual(["", "annotator", false]);
});
