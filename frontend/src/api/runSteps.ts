import { api } from "./client";
import type { TypedStepWhole } from "./types";

/** What a run's page asks for beside its steps: a step whole, and the addresses of pictures. */
interface RunSource {
  whole: (path: readonly number[]) => Promise<string>;
  image: (sha256: string) => string;
}

/** Of the run that one labels. */
export const ofLabel = (labelId: number): RunSource => sourceAt(`/api/labels/${labelId}`);

/** Of the run that one reviews blindly: by the item, as nobody is told which run that is. */
export const ofAuditItem = (itemId: number): RunSource => sourceAt(`/api/label_audit_items/${itemId}`);

/** Of any trace of a project that one may read. */
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
