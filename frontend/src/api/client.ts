/**
 * The only client for the server: session cookie, CSRF header, JSON both ways, and three kinds of failure kept apart.
 */
import { personCheck } from "./personCheck";

/** The server answered with a refusal: `code` is stable, `detail` is one sentence that says what to do. */
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

/**
 * No answer arrived: offline, connection refused, or cut off after `timeoutMs`. The request may have reached the
 * server.
 */
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
  /** Milliseconds; 20 s by default, 0 for no timeout (uploads). */
  timeoutMs?: number;
  /** Let the request outlive the page (bodies up to 64 kB only, the browser's own limit). */
  keepalive?: boolean;
  headers?: Record<string, string>;
  /** The id of the person who asks, if not the page's owner; null for whoever is logged in. */
  person?: number | null;
}

const DEFAULT_TIMEOUT_MS = 20_000;
/**
 * For figures of large projects: the first reader in an hour waits for them, and asking again would start them again.
 */
export const FIGURES_TIMEOUT_MS = 120_000;
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Window event sent when a person is let in to the page: whatever waited for their login can continue. */
export const LET_IN = "stepmark:let-in";
let owner: number | null = null;

/**
 * Set the page's owner, from the moment they are let in until they leave; null for nobody. All tabs share one cookie,
 * so the server rejects requests from a page whose owner is not the person logged in now.
 */
export function pageBelongsTo(person: number | null): void {
  owner = person;
  if (person !== null) window.dispatchEvent(new CustomEvent(LET_IN));
}

export function pageOwner(): number | null {
  return owner;
}

/** The header that names who must be logged in when the request arrives; without it, anyone may be. */
export function personHeader(person: number | null): Record<string, string> {
  return person === null ? {} : { "X-Stepmark-Person": String(person) };
}

/** The token that the server expects in `X-CSRFToken`. */
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

/** Build the error for a response's status and body. A 401 also notifies the page, which asks who is logged in. */
export function apiErrorFrom(
  status: number,
  parsed: unknown,
  requestId: string | null,
  person: number | null,
): ApiError {
  const record = asRecord(parsed);
  const code = typeof record.code === "string" ? record.code : `http_${status}`;
  const sentence = typeof record.detail === "string" ? record.detail : `The server answered with an error (${status}).`;
  // A server fault is looked up in the server's log, so the text that a person copies from the page must name the
  // request.
  const detail = status >= 500 && requestId ? `${sentence} (Request ${requestId})` : sentence;
  // A refused request on behalf of another person says nothing about this page's owner.
  const ofThisPage = code !== "other_person" || person === owner;
  if (status === 401 && ofThisPage) window.dispatchEvent(new CustomEvent("stepmark:logged-out"));
  return new ApiError(status, code, detail, record);
}

/** Get a CSRF cookie if there is none: a browser that follows a link from a mail has none yet. */
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
  // Decide on the person now: the page may have another owner by the time a check is answered.
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
 * Send a POST. An identical request that is still unanswered is not sent again, because a second click can come before
 * the button is disabled; both calls get the one answer. A request with an abort signal is always sent on its own.
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

/** `?a=1&b=2` from the entries with a value; an empty string if there are none. */
export function queryString(values: Record<string, string | number | boolean | null | undefined>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "") params.set(name, String(value));
  }
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

/** Statuses of refusals that pass on their own: too slow, too early, too often. */
const PASSING = new Set([408, 425, 429]);

/** May the same request be sent again later with hope of another answer? */
export function isRetryable(error: unknown): boolean {
  if (error instanceof NetworkError) return true;
  return error instanceof ApiError && (error.status >= 500 || PASSING.has(error.status));
}

/** Was the query cancelled because it took too long? Asking again would occupy the database for as long again. */
export function tookTooLong(error: unknown): boolean {
  return error instanceof ApiError && error.code === "took_too_long";
}
