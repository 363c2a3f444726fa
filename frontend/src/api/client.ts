/** The one way to the server: session cookie, CSRF header, JSON both ways, three kinds of failure kept apart. */
import { personCheck } from "./personCheck";

/** The server answered and refused: `code` is stable, `detail` is one sentence with the way out. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly body: Record<string, unknown>;

  constructor(status: number, code: string, detail: string, body: Record<string, unknown>) {
    super(detail);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.body = body;
  }

  /** Messages per field of a 400 `invalid`; empty for every other error. */
  get fields(): Record<string, string[]> {
    return (this.body.fields as Record<string, string[]> | undefined) ?? {};
  }
}

/** No answer came: offline, refused, or cut off after `timeoutMs`. The request may or may not have reached the server. */
export class NetworkError extends Error {
  readonly timedOut: boolean;

  constructor(message: string, timedOut: boolean) {
    super(message);
    this.name = "NetworkError";
    this.timedOut = timedOut;
  }
}

interface RequestOptions {
  signal?: AbortSignal;
  /** Milliseconds; 20 s by default, 0 for none (uploads). */
  timeoutMs?: number;
  /** Let the request outlive the page (bodies up to 64 kB only; the browser's own limit). */
  keepalive?: boolean;
  headers?: Record<string, string>;
  /** The id of who asks, where that is not whom the page belongs to; null for whoever is logged in. */
  person?: number | null;
}

const DEFAULT_TIMEOUT_MS = 20_000;
/** For figures of large projects, which the first reader in an hour waits for: asking again would begin them again. */
export const FIGURES_TIMEOUT_MS = 120_000;
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Told to the window when a page is let in as somebody's: what waited for their login can go on. */
export const LET_IN = "stepmark:let-in";
let owner: number | null = null;

/**
 * Whom this page belongs to, from the moment they are let in until they leave; null for nobody. All tabs share one cookie:
 * the server does nothing for a page whose person is not the one who is logged in now.
 */
export function pageBelongsTo(person: number | null): void {
  owner = person;
  if (person !== null) window.dispatchEvent(new CustomEvent(LET_IN));
}

export function pageOwner(): number | null {
  return owner;
}

/** Who is meant to be logged in when the request arrives; no header leaves that open. */
export function personHeader(person: number | null): Record<string, string> {
  return person === null ? {} : { "X-Stepmark-Person": String(person) };
}

/** What the server wants back in `X-CSRFToken`. */
export function csrfToken(): string {
  return decodeURIComponent(/(?:^|;\s*)csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? "");
}

function buildInit(method: string, body: unknown, options: RequestOptions): RequestInit {
  const person = personHeader(options.person ?? null);
  const headers: Record<string, string> = { Accept: "application/json", ...person, ...options.headers };
  if (!SAFE_METHODS.has(method)) headers["X-CSRFToken"] = csrfToken();
  let payload: BodyInit | undefined;
  if (body instanceof FormData) payload = body;
  else if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    payload = JSON.stringify(body);
  }
  return { method, headers, body: payload, credentials: "same-origin", keepalive: options.keepalive };
}

async function fetchOrNetworkError(path: string, init: RequestInit, options: RequestOptions): Promise<Response> {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const signals = [options.signal, timeoutMs > 0 ? AbortSignal.timeout(timeoutMs) : undefined].filter(
    (signal) => signal !== undefined,
  );
  try {
    return await fetch(path, { ...init, signal: signals.length > 0 ? AbortSignal.any(signals) : null });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    const timedOut = error instanceof DOMException && error.name === "TimeoutError";
    throw new NetworkError(
      timedOut ? "The server took too long to answer." : "The server cannot be reached. Check the connection.",
      timedOut,
    );
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** The error an answer's status and body stand for; a 401 is also told to the page, which asks who is logged in. */
export function apiErrorFrom(
  status: number,
  parsed: unknown,
  requestId: string | null,
  person: number | null,
): ApiError {
  const record = asRecord(parsed);
  const code = typeof record.code === "string" ? record.code : `http_${status}`;
  const sentence = typeof record.detail === "string" ? record.detail : `The server answered with an error (${status}).`;
  // A fault of the server is looked up in its log: what a person copies from the page has to name the request.
  const detail = status >= 500 && requestId ? `${sentence} (Request ${requestId})` : sentence;
  // What waits for somebody else's login says nothing of whom this page belongs to.
  const ofThisPage = code !== "other_person" || person === owner;
  if (status === 401 && ofThisPage) window.dispatchEvent(new CustomEvent("stepmark:logged-out"));
  return new ApiError(status, code, detail, record);
}

/** A browser that comes by the link of a mail has no CSRF cookie yet. */
async function haveCsrfToken(options: RequestOptions): Promise<void> {
  if (csrfToken() === "") await fetchOrNetworkError("/api/session", buildInit("GET", undefined, {}), options);
}

async function parseBody(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // A proxy's HTML error page: the status says enough.
  }
}

/**
 * Send one request and return its JSON body.
 *
 * @throws ApiError when the server answered with an error status.
 * @throws NetworkError when no answer came.
 */
export async function request<T>(method: string, path: string, body?: unknown, asked: RequestOptions = {}): Promise<T> {
  // Whose it is is settled now: the page may have another owner by the time a check is answered.
  const person = asked.person === undefined ? owner : asked.person;
  const options = { ...asked, person };
  if (!SAFE_METHODS.has(method)) await haveCsrfToken(options);
  const response = await fetchOrNetworkError(path, buildInit(method, body, options), options);
  const parsed = await parseBody(response);
  if (response.ok) return parsed as T;
  const refusal = apiErrorFrom(response.status, parsed, response.headers.get("X-Request-Id"), person);
  if (refusal.code === "check_again" && (await personCheck.ask())) return request<T>(method, path, body, options);
  throw refusal;
}

const underWay = new Map<string, Promise<unknown>>();

/**
 * What is asked for once more, word for word, before it is answered is the same wish: a second click came before the
 * button was locked. Both get the one answer. What can be called off is another's own, and is sent each time.
 */
function post<T>(path: string, body: unknown = {}, options: RequestOptions = {}): Promise<T> {
  if (options.signal) return request<T>("POST", path, body, options);
  const wish = JSON.stringify([path, body, options.person ?? owner]);
  const same = underWay.get(wish) as Promise<T> | undefined;
  if (same) return same;
  const answer = request<T>("POST", path, body, options).finally(() => underWay.delete(wish));
  underWay.set(wish, answer);
  return answer;
}

export const api = {
  get: <T>(path: string, options?: RequestOptions) => request<T>("GET", path, undefined, options),
  post,
  put: <T>(path: string, body: unknown, options?: RequestOptions) => request<T>("PUT", path, body, options),
  patch: <T>(path: string, body: unknown, options?: RequestOptions) => request<T>("PATCH", path, body, options),
  upload: <T>(path: string, form: FormData, options?: RequestOptions) =>
    request<T>("POST", path, form, { timeoutMs: 0, ...options }),
};

/** `?a=1&b=2` from the entries that hold a value; an empty string when none does. */
export function queryString(values: Record<string, string | number | boolean | null | undefined>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "") params.set(name, String(value));
  }
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

/** May the same request be sent again later with hope of another answer? */
/** Refusals that pass by themselves: too slow, too early, too often. */
const PASSING = new Set([408, 425, 429]);

export function isRetryable(error: unknown): boolean {
  if (error instanceof NetworkError) return true;
  return error instanceof ApiError && (error.status >= 500 || PASSING.has(error.status));
}

/** Was a question broken off for its length? Asked once more it would keep the database as long again. */
export function tookTooLong(error: unknown): boolean {
  return error instanceof ApiError && error.code === "took_too_long";
}
