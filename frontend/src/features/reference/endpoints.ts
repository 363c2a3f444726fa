/** The API's endpoints as its own schema describes them, and for each a command line ready to copy. */

interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  nullable?: boolean;
  default?: unknown;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  allOf?: Schema[];
  oneOf?: Schema[];
  additionalProperties?: Schema | boolean;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

interface Content {
  content?: Record<string, { schema?: Schema }>;
  description?: string;
}

interface Operation {
  operationId: string;
  description?: string;
  parameters?: { in: string; name: string; required?: boolean; description?: string; schema?: Schema }[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export interface Field {
  name: string;
  type: string;
  required: boolean;
  means: string;
}

export interface Endpoint {
  key: string;
  method: string;
  path: string;
  subject: string;
  means: string;
  parameters: Field[];
  body: Field[];
  /** How the body is sent: JSON, or a form with a file in it. */
  form: boolean;
  example: Record<string, unknown> | null;
  answer: Field[];
  answerName: string;
  isFile: boolean;
}

export function endpointsOf(document: ApiDocument): Endpoint[] {
  const found = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => endpointOf(document, method.toUpperCase(), path, operation)),
  );
  return found.filter((one) => one.path !== "/api/schema");
}

function endpointOf(document: ApiDocument, method: string, path: string, operation: Operation): Endpoint {
  const [bodyKind, bodySchema] = firstContent(operation.requestBody);
  const good = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))?.[1];
  const [answerKind, answerSchema] = firstContent(good);
  const body = bodySchema && resolved(document, bodySchema);
  const answer = answerSchema && resolved(document, answerSchema);
  return {
    key: operation.operationId,
    method,
    path,
    subject: subjectOf(path),
    means: (operation.description ?? "").replaceAll("`", ""),
    parameters: (operation.parameters ?? []).map((one) => ({
      name: one.name,
      type: one.schema ? typeOf(document, one.schema) : "text",
      required: one.required ?? false,
      means: one.description ?? (one.in === "path" ? "In the address." : ""),
    })),
    body: body ? fieldsOf(document, body) : [],
    form: bodyKind === "multipart/form-data",
    example: body ? exampleOf(document, body) : null,
    answer: answer ? fieldsOf(document, answer) : [],
    answerName: answerSchema?.$ref ? nameOf(answerSchema.$ref) : "",
    isFile: answerKind !== "" && answerKind !== "application/json",
  };
}

function firstContent(content: Content | undefined): [kind: string, schema: Schema | undefined] {
  const [kind, found] = Object.entries(content?.content ?? {})[0] ?? ["", undefined];
  return [kind, found?.schema];
}

/** Return what an address is about: its first word that does not belong to the project. */
function subjectOf(path: string): string {
  const words = path.replace(/^\/api\//, "").split("/");
  const word = words[0] === "projects" && words.length > 2 ? words[2] : words[0];
  const plural: Record<string, string> = { my_labels: "labels", my_progress: "labels", my_stats: "labels" };
  const subject = (plural[word ?? ""] ?? word ?? "").replace(/\.csv$/, "").replaceAll("_", " ");
  return subject.charAt(0).toUpperCase() + subject.slice(1);
}

const nameOf = (reference: string) => reference.replace("#/components/schemas/", "");

function resolved(document: ApiDocument, schema: Schema): Schema {
  return schema.$ref ? (document.components.schemas[nameOf(schema.$ref)] ?? {}) : schema;
}

function fieldsOf(document: ApiDocument, schema: Schema): Field[] {
  return Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    type: typeOf(document, field),
    required: schema.required?.includes(name) ?? false,
    means: field.description ?? "",
  }));
}

const TYPES: Record<string, string> = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "true or false",
  object: "object",
};

function typeOf(document: ApiDocument, schema: Schema): string {
  const words = withoutNull(document, schema);
  return schema.nullable ? `${words}, or null` : words;
}

function withoutNull(document: ApiDocument, schema: Schema): string {
  if (schema.$ref) {
    const meant = resolved(document, schema);
    return meant.enum ? withoutNull(document, meant) : nameOf(schema.$ref);
  }
  const parts = schema.allOf ?? schema.oneOf;
  if (parts) return parts.map((part) => typeOf(document, part)).join(" or ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.type === "array") return `list of ${schema.items ? typeOf(document, schema.items) : "values"}`;
  if (schema.format === "binary") return "file";
  if (schema.format === "date-time") return "time";
  return TYPES[schema.type ?? ""] ?? "any value";
}

/** Return a body with its required values: they have the right shape, nothing more. */
function exampleOf(document: ApiDocument, schema: Schema): Record<string, unknown> {
  const wanted = (schema.required ?? []).map((name) => [
    name,
    sampleOf(document, name, schema.properties?.[name] ?? {}),
  ]);
  return Object.fromEntries(wanted);
}

function sampleOf(document: ApiDocument, name: string, field: Schema): unknown {
  const schema = resolved(document, field.allOf?.[0] ?? field.oneOf?.[0] ?? field);
  if (field.default !== undefined) return field.default;
  if (schema.enum) return schema.enum[0];
  if (schema.format === "binary" || (name === "file" && schema.format === "uri")) return "@rows.jsonl";
  if (schema.properties) return exampleOf(document, schema);
  if (schema.type === "array") return schema.items ? [sampleOf(document, name, schema.items)] : [];
  if (schema.type === "integer" || schema.type === "number") return Math.max(1, schema.minimum ?? 1);
  if (schema.type === "boolean") return false;
  return schema.type === "object" ? {} : name.replaceAll("_", " ");
}

/** Return the address with the reader's own project in it. */
function filledPath(path: string, slug: string): string {
  return path
    .replace("{slug}", slug)
    .replace(/\{(\w+)\}/g, (_whole, name: string) => (name === "token" ? "TOKEN" : "1"));
}

/** Quote for a POSIX shell: inside single quotes, only the quote itself is special. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export function curlOf(endpoint: Endpoint, origin: string, slug: string): string {
  const words = ["curl", "--fail-with-body", `-H "Authorization: Bearer $STEPMARK_TOKEN"`];
  if (endpoint.method !== "GET") words.push(`-X ${endpoint.method}`);
  if (endpoint.form) {
    for (const [name, value] of Object.entries(endpoint.example ?? {})) words.push(`-F ${quoted(`${name}=${value}`)}`);
  } else if (endpoint.example) {
    words.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(endpoint.example))}`);
  }
  if (endpoint.isFile) words.push("-O -J");
  return [...words, quoted(`${origin}${filledPath(endpoint.path, slug)}`)].join(" ");
}

export function pythonOf(endpoint: Endpoint, origin: string, slug: string): string {
  const site = `Stepmark(${JSON.stringify(origin)})`;
  const path = JSON.stringify(filledPath(endpoint.path, slug));
  if (endpoint.isFile) return `${site}.save(${path}, "file")`;
  const words = [JSON.stringify(endpoint.method), path];
  if (endpoint.form) {
    const { file: _file, ...fields } = endpoint.example ?? {};
    words.push(`data=${pythonValue(fields)}`, `files={"file": ("rows.jsonl", open("rows.jsonl", "rb"))}`);
  } else if (endpoint.example && Object.keys(endpoint.example).length > 0) words.push(pythonValue(endpoint.example));
  else if (endpoint.example) words.push("{}");
  return `${site}.call(${words.join(", ")})`;
}

export function pythonValue(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const pairs = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${pythonValue(one)}`);
  return `{${pairs.join(", ")}}`;
}

/** Return the endpoints that contain all typed words, grouped by subject, within which they keep their order. */
export function bySubject(endpoints: Endpoint[], search: string): [subject: string, endpoints: Endpoint[]][] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, Endpoint[]>();
  for (const one of endpoints) {
    const text = [one.method, one.path, one.key, one.means, ...one.body.map((field) => field.name)]
      .join(" ")
      .toLowerCase();
    if (words.every((word) => text.includes(word))) groups.set(one.subject, [...(groups.get(one.subject) ?? []), one]);
  }
  return [...groups].toSorted(([one], [other]) => one.localeCompare(other));
}
