import { api } from "./client";
import type { TypedStepWhole } from "./types";

/** What a run's page requests besides its steps: the whole text of a step, and the addresses of images. */
interface RunSource {
  whole: (path: readonly number[]) => Promise<string>;
  image: (sha256: string) => string;
}

/** The source for a run being labeled. */
export const ofLabel = (labelId: number): RunSource => sourceAt(`/api/labels/${labelId}`);

/** The source for a run under blind review: addressed by the item, so that the run is not revealed. */
export const ofAuditItem = (itemId: number): RunSource => sourceAt(`/api/label_audit_items/${itemId}`);

/** The source for any trace of a project that the person may read. */
export const ofTrace = (traceId: number): RunSource => sourceAt(`/api/traces/${traceId}`);

function sourceAt(address: string): RunSource {
  return {
    whole: async ([place, ...inside]) => {
      const query = inside.length > 0 ? `?inside=${inside.join(".")}` : "";
      const answer = await api.get<TypedStepWhole>(`${address}/typed_steps/${place}${query}`);
      return String(answer.step.text ?? "");
    },
    image: (sha256) => `${address}/images/${sha256}`,
  };
}
