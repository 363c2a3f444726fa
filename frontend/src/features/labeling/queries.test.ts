import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { changeProgress, myProgressQuery } from "./queries";

const progress = { submitted_today: 0, active_ms_today: 0, round: null, floor_ms: 2_000 };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

async function looksInFiveMinutes(queryFn: () => Promise<typeof progress>): Promise<number> {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const asked = vi.fn(queryFn);
  const stop = new QueryObserver(client, { ...myProgressQuery("algebra", 1), queryFn: asked }).subscribe(() => {});
  for (let second = 0; second < 300; second += 10) {
    await vi.advanceTimersByTimeAsync(10_000);
    changeProgress(client, "algebra", (old) => ({ ...old, submitted_today: old.submitted_today + 1 }));
  }
  stop();
  client.clear();
  return asked.mock.calls.length;
}

it("asks once a minute however often a submission is counted in", async () => {
  expect(await looksInFiveMinutes(async () => progress)).toBe(6);
});

it("asks no more often while the server is away", async () => {
  const looks = await looksInFiveMinutes(() => Promise.reject(new Error("away")));
  expect(looks).toBe(6);
});
