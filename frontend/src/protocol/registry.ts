/**
 * The labeling protocols by name, as in the server's `labeling/protocol/registry.py`. A new one takes one file and one
 * line here.
 */
import { CHOOSE_STEP } from "./choose_step/rules";
import { EVERY_STEP } from "./everyStep";
import { FIRST_ERROR } from "./firstError";
import type { LabelingProtocol } from "./interface";

export const PROTOCOLS = new Map<string, LabelingProtocol>(
  [FIRST_ERROR, CHOOSE_STEP, EVERY_STEP].map((protocol) => [protocol.name, protocol]),
);

/** The protocol that the server names. Throws if this page is too old to know it. */
export function protocolNamed(name: string): LabelingProtocol {
  const protocol = PROTOCOLS.get(name);
  if (!protocol) throw new Error(`This page does not know the labeling protocol “${name}”. Reload the page.`);
  return protocol;
}
