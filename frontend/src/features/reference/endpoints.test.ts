import { expect, test } from "vitest";
import { type ApiDocument, bySubject, curlOf, endpointsOf, pythonOf, pythonValue } from "./endpoints";

const answer = (name: string) => ({
  "200": { content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } } },
});
const DOCUMENT: ApiDocument = {
  paths: {
    "/api/projects/{slug}/rounds": {
      get: { operationId: "listRounds", description: "Newest first.", responses: answer("RoundOut") },
      post: {
        operationId: "openRound",
        description: "Put traces on the queue.",
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/OpenRoundIn" } } } },
        responses: answer("RoundOut"),
      },
    },
    "/api/projects/{slug}/imports": {
      post: {
        operationId: "createImport",
        requestBody: { content: { "multipart/form-data": { schema: { $ref: "#/components/schemas/ImportIn" } } } },
        responses: answer("RoundOut"),
      },
    },
    "/api/exports/{export_id}/download": {
      get: {
        operationId: "downloadExport",
        responses: { "200": { content: { "application/x-ndjson": { schema: { type: "string", format: "binary" } } } } },
      },
    },
  },
  components: {
    schemas: {
      RoundOut: { properties: { id: { type: "integer" }, name: { type: "string", nullable: true } }, required: ["id"] },
      OpenRoundIn: {
        properties: { source: { allOf: [{ $ref: "#/components/schemas/Source" }] }, name: { type: "string" } },
        required: ["source"],
      },
      Source: { enum: ["all", "it's"], type: "string" },
      ImportIn: {
        properties: { file: { type: "string", format: "binary" }, name: { type: "string" } },
        required: ["file", "name"],
      },
    },
  },
};
const [list, open, upload, download] = endpointsOf(DOCUMENT);

test("an endpoint is told with its fields, its subject and what it answers", () => {
  expect(open).toMatchObject({ method: "POST", subject: "Rounds", example: { source: "all" }, answerName: "RoundOut" });
  expect(open?.body.map((field) => [field.name, field.type, field.required])).toEqual([
    ["source", '"all" or "it\'s"', true],
    ["name", "text", false],
  ]);
  expect(list?.answer.map((field) => field.type)).toEqual(["whole number", "text, or null"]);
});

test("a line of curl is quoted for the shell, whatever stands in the body", () => {
  const made = { ...(open as NonNullable<typeof open>), example: { source: "it's" } };
  expect(curlOf(made, "https://site.example.org", "algebra")).toBe(
    `curl --fail-with-body -H "Authorization: Bearer $STEPMARK_TOKEN" -X POST -H 'Content-Type: application/json'` +
      ` -d '{"source":"it'\\''s"}' 'https://site.example.org/api/projects/algebra/rounds'`,
  );
  expect(curlOf(upload as NonNullable<typeof upload>, "https://s", "a")).toContain(
    "-F 'file=@rows.jsonl' -F 'name=name'",
  );
});

test("a line of Python is Python", () => {
  expect(pythonOf(open as NonNullable<typeof open>, "https://s", "a")).toBe(
    'Stepmark("https://s").call("POST", "/api/projects/a/rounds", {"source": "all"})',
  );
  expect(pythonOf(download as NonNullable<typeof download>, "https://s", "a")).toBe(
    'Stepmark("https://s").save("/api/exports/1/download", "file")',
  );
  expect(pythonValue({ on: true, none: null, list: [false, 1, "a"] })).toBe(
    '{"on": True, "none": None, "list": [False, 1, "a"]}',
  );
});

test("a search finds endpoints that say every word", () => {
  const endpoints = endpointsOf(DOCUMENT);
  expect(bySubject(endpoints, "ROUNDS queue").map(([subject, found]) => [subject, found.length])).toEqual([
    ["Rounds", 1],
  ]);
  expect(bySubject(endpoints, "nothing")).toEqual([]);
  expect(bySubject(endpoints, "").map(([subject]) => subject)).toEqual(["Exports", "Imports", "Rounds"]);
});
