import { ApiError } from "./client";

/** The server's messages for one field of a refused form, as one text; undefined if there are none. */
export function fieldFault(error: unknown, name: string): string | undefined {
  return error instanceof ApiError ? error.fields[name]?.join(" ") : undefined;
}

/** The error, unless all of its messages are already shown next to one of the `shown` fields. */
export function otherFault(error: unknown, shown: string[]): unknown {
  if (!(error instanceof ApiError)) return error;
  const names = Object.keys(error.fields);
  return names.length > 0 && names.every((name) => shown.includes(name)) ? null : error;
}
