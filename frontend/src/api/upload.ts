import { apiErrorFrom, csrfToken, NetworkError, pageOwner, personHeader } from "./client";

interface UploadOptions {
  onProgress: (sent: number, total: number) => void;
  signal?: AbortSignal;
}

/**
 * Post a form and report how much of it has been sent. `fetch` cannot do that, so this uses XMLHttpRequest.
 *
 * @throws ApiError when the server answered with an error status.
 * @throws NetworkError when no answer came.
 * @throws DOMException `AbortError` when `signal` stopped it.
 */
export function uploadWithProgress<T>(path: string, form: FormData, options: UploadOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", path);
    sending.setRequestHeader("Accept", "application/json");
    sending.setRequestHeader("X-CSRFToken", csrfToken());
    const person = pageOwner();
    for (const [name, value] of Object.entries(personHeader(person))) sending.setRequestHeader(name, value);
    sending.responseType = "text";
    sending.upload.onprogress = (event) => {
      if (event.lengthComputable) options.onProgress(event.loaded, event.total);
    };
    sending.onload = () => {
      const parsed = parse(sending.responseText);
      if (sending.status >= 200 && sending.status < 300) resolve(parsed as T);
      else reject(apiErrorFrom(sending.status, parsed, sending.getResponseHeader("X-Request-Id"), person));
    };
    sending.onerror = () => reject(new NetworkError("The upload stopped: the server cannot be reached.", false));
    sending.onabort = () => reject(new DOMException("The upload was stopped.", "AbortError"));
    options.signal?.addEventListener("abort", () => sending.abort(), { once: true });
    sending.send(form);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // A proxy's HTML error page: the status says enough.
  }
}
