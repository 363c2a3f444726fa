/**
 * Writes the limits of what requests may hold, for the page's fields: openapi-typescript leaves them out.
 * `node make_limits.ts SCHEMA.json src/api/limits.ts`; `make schema` does it.
 */
import { readFileSync, writeFileSync } from "node:fs";

type Json = Record<string, unknown>;

const HEAD = `/**
 * Limits of what requests may hold, written from the API's schema (\`make schema\`): do not edit. They have the names of
 * a field's attributes: \`<TextInput {...limits.OpenRoundIn.name} />\`.
 */
`;
/** A field's attributes, by the schema's names. */
const ATTRIBUTES = { minLength: "minLength", maxLength: "maxLength", minimum: "min", maximum: "max" };
const REFERENCE = "#/components/schemas/";

function makeLimits(document: Json): string {
  const { schemas } = document.components as { schemas: Record<string, Json> };
  const asked = new Set<string>();
  for (const path of Object.values(document.paths as Record<string, Record<string, Json>>)) {
    for (const operation of Object.values(path)) collect(operation.requestBody, schemas, asked);
  }
  return (
    HEAD +
    [...asked]
      .sort()
      .map((name) => constant(name, schemas[name] ?? {}))
      .join("")
  );
}

/** Add the names of the components that this part of the document names, and of those within them. */
function collect(part: unknown, schemas: Record<string, Json>, names: Set<string>): void {
  if (typeof part !== "object" || part === null) return;
  for (const [key, value] of Object.entries(part)) {
    if (key !== "$ref" || typeof value !== "string") {
      collect(value, schemas, names);
      continue;
    }
    const name = value.slice(REFERENCE.length);
    if (names.has(name)) continue;
    names.add(name);
    collect(schemas[name], schemas, names);
  }
}

function constant(name: string, schema: Json): string {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Json>).flatMap(([field, has]) => {
    if (Number(has.maximum) > Number.MAX_SAFE_INTEGER) return []; // an id, which nobody types
    const limits = Object.entries(ATTRIBUTES).filter(([limit]) => limit in has);
    const attributes = limits.map(([limit, attribute]) => `${attribute}: ${has[limit]}`);
    return attributes.length > 0 ? [`  ${field}: { ${attributes.join(", ")} },\n`] : [];
  });
  return fields.length > 0 ? `\nexport const ${name} = {\n${fields.join("")}} as const;\n` : "";
}

const [source = "", target = ""] = process.argv.slice(2);
writeFileSync(target, makeLimits(JSON.parse(readFileSync(source, "utf8"))));
