import { expect, test } from "vitest";
import { ApiError, NetworkError } from "@/api/client";
import { loginRefusal, safeNext, signInRefusal } from "./loginRefusal";

test("after the login only addresses of this site are followed", () => {
  expect(safeNext("/projects/algebra?x=1")).toBe("/projects/algebra?x=1");
  expect(safeNext(null)).toBe("/");
  expect(safeNext("https://evil.example")).toBe("/");
  expect(safeNext("//evil.example")).toBe("/");
  expect(safeNext("/\\evil.example")).toBe("/");
  expect(safeNext("javascript:alert(1)")).toBe("/");
});

test("a lock-out names the time from which the login works again", () => {
  const now = Date.parse("2026-11-21T12:00:00Z");
  const locked = new ApiError(423, "locked_out", "Locked.", { retry_at: "2026-11-21T12:14:30Z" });
  expect(loginRefusal(locked, now).title).toBe("Too many failed tries");
  expect(loginRefusal(locked, now).text).toMatch(/locked until \d\d:14 \(about 15 min\)/);
});

test("a lock-out without a time shows the server's own sentence", () => {
  const locked = new ApiError(423, "locked_out", "Wait a while.", {});
  expect(loginRefusal(locked, 0).text).toBe("Wait a while.");
});

test("a wrong password and a lost connection are told apart", () => {
  expect(loginRefusal(new ApiError(401, "wrong_credentials", "Check both.", {}), 0).text).toBe("Check both.");
  expect(loginRefusal(new NetworkError("Unreachable.", false), 0)).toEqual({
    title: "No connection",
    text: "Unreachable.",
  });
});

test("a refused sign-in is told in words of ours, never in those of the address", () => {
  expect(signInRefusal(null)).toBeNull();
  expect(signInRefusal("no_account")).toMatch(/Ask a project admin/);
  expect(signInRefusal("Call 0900 123")).toBe("The provider's answer was not accepted. Try again.");
});
