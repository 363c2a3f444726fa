import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError, api, pageBelongsTo } from "./client";
import { sessionQuery } from "./session";

const asked: { address: string; person: string | undefined }[] = [];
const loggedOut = vi.fn();
let answer: () => Response;

beforeEach(() => {
  answer = () => Response.json({});
  vi.stubGlobal("document", { cookie: "csrftoken=of-whoever-logged-in" });
  vi.stubGlobal("fetch", async (address: string, { headers }: { headers: Record<string, string> }) => {
    asked.push({ address, person: headers["X-Stepmark-Person"] });
    return answer();
  });
  window.addEventListener("stepmark:logged-out", loggedOut);
});

afterEach(() => {
  window.removeEventListener("stepmark:logged-out", loggedOut);
  pageBelongsTo(null);
  vi.unstubAllGlobals();
  loggedOut.mockClear();
  asked.length = 0;
});

function refuse(code: string): void {
  answer = () => Response.json({ code, detail: "No." }, { status: 401 });
}

test("Every request says whose page asks, from when they are let in until they leave", async () => {
  await api.get("/api/projects");
  pageBelongsTo(5);
  await api.get("/api/projects");
  await api.post("/api/projects/maths/labels/claim");
  await api.put("/api/labels/1/draft", {});
  pageBelongsTo(null);
  await api.post("/api/session/login", {});
  expect(asked.map(({ person }) => person)).toEqual([undefined, "5", "5", "5", undefined]);
});

test("What asks for somebody in particular, or for whoever it is, says so", async () => {
  pageBelongsTo(5);
  await api.post("/api/labels/1/submit", {}, { person: 6 });
  await sessionQuery.queryFn?.({ signal: new AbortController().signal } as never);
  expect(asked).toEqual([
    { address: "/api/labels/1/submit", person: "6" },
    { address: "/api/session", person: undefined },
  ]);
});

test("The question for a CSRF cookie is whoever's it is", async () => {
  vi.stubGlobal("document", { cookie: "" });
  pageBelongsTo(5);
  await api.post("/api/labels/1/submit", {});
  expect(asked.map(({ person }) => person)).toEqual([undefined, "5"]);
});

test.each(["not_authenticated", "other_person"])("a page that meets %s asks once who is logged in", async (code) => {
  pageBelongsTo(5);
  refuse(code);
  await expect(api.get("/api/projects")).rejects.toThrow(ApiError);
  expect([asked.length, loggedOut.mock.calls.length]).toEqual([1, 1]);
});

test("that what waits for another person is not taken is no news for the page", async () => {
  pageBelongsTo(5);
  refuse("other_person");
  await expect(api.post("/api/labels/1/submit", {}, { person: 6 })).rejects.toThrow(ApiError);
  expect(loggedOut).not.toHaveBeenCalled();
});

test("A second click before the first is answered is one request, and gets its answer", async () => {
  answer = () => Response.json({ id: asked.length });
  const asks = [{ name: "First" }, { name: "First" }, { name: "Second" }].map((body) =>
    api.post("/api/projects", body),
  );
  expect(await Promise.all(asks)).toEqual([{ id: 1 }, { id: 1 }, { id: 2 }]);
  expect(await api.post("/api/projects", { name: "First" })).toEqual({ id: 3 });
  pageBelongsTo(5);
  const mine = api.post("/api/projects", { name: "First" });
  pageBelongsTo(6);
  await Promise.all([mine, api.post("/api/projects", { name: "First" })]);
  expect(asked.slice(3).map(({ person }) => person)).toEqual(["5", "6"]);
});

test("Two clicks that are refused are both told why, and the next is sent", async () => {
  refuse("name_taken");
  const asks = [api.post("/api/projects"), api.post("/api/projects")];
  for (const ask of asks) await expect(ask).rejects.toMatchObject({ code: "name_taken" });
  await expect(api.post("/api/projects")).rejects.toBeInstanceOf(ApiError);
  expect(asked).toHaveLength(2);
});

test("What can be called off is sent each time: who calls one off has not called off the other", async () => {
  const asks = [new AbortController(), new AbortController()].map(({ signal }) =>
    api.post("/api/projects/maths/labels/claim", {}, { signal }),
  );
  await Promise.all(asks);
  expect(asked).toHaveLength(2);
});
