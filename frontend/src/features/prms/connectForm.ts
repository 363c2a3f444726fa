import type { ConnectPrm, ModelFolder, PrmConnections, PrmFamily } from "@/api/roundTypes";

/** What was typed so far; empty where an earlier choice decides. */
export interface ConnectForm {
  /** "folder:NAME" or "server:NAME:MODEL". */
  place: string;
  family: PrmFamily["name"] | "";
  name: string;
  aggregation: PrmFamily["aggregation"] | "";
  reference: string;
  neutral: NonNullable<ConnectPrm["neutral"]>;
  separator: NonNullable<ConnectPrm["separator"]>;
  dtype: NonNullable<ConnectPrm["dtype"]>;
  learned_from: string;
  for_all: boolean;
}

export const EMPTY: ConnectForm = {
  place: "",
  family: "",
  name: "",
  aggregation: "",
  reference: "",
  neutral: "positive",
  separator: "line",
  dtype: "float32",
  learned_from: "",
  for_all: false,
};

export const DTYPES = [
  { value: "float32", label: "float32: exact" },
  { value: "bfloat16", label: "bfloat16: half the memory, for ranking" },
] as const;
export const NEUTRALS = [
  { value: "positive", label: "right" },
  { value: "negative", label: "wrong" },
] as const;
export const SEPARATORS = [
  { value: "line", label: "a line break" },
  { value: "blank_line", label: "an empty line" },
] as const;

/** Return the other folders, one of which may hold the model to compare this one with. */
export function references(form: Pick<ConnectForm, "place">, { folders }: Pick<PrmConnections, "folders">) {
  const others = folders.map((one) => one.folder).filter((one) => `folder:${one}` !== form.place);
  return [{ value: "", label: "Choose a folder" }, ...others.map((one) => ({ value: one, label: one }))];
}

export interface Place {
  value: string;
  name: string;
  means: string;
  /** The family it belongs to, or seems to belong to. */
  family: PrmFamily["name"] | "";
  /** The family cannot be chosen, because the operator set it. */
  fixed: boolean;
  sends: Pick<ConnectPrm, "folder"> | Pick<ConnectPrm, "server" | "model">;
}

/** Return everything from which a PRM can be connected, folders first. */
export function places({ folders, servers, families }: PrmConnections): Place[] {
  return [
    ...folders.map((one) => ({
      value: `folder:${one.folder}`,
      name: one.folder,
      means: folderWords(one, families),
      family: one.family,
      fixed: false,
      sends: { folder: one.folder },
    })),
    ...servers.flatMap((server) =>
      server.models.map((model) => ({
        value: `server:${server.name}:${model}`,
        name: `${model} on ${server.name}`,
        means: families.find((family) => family.name === server.family)?.title ?? "",
        family: server.family,
        fixed: true,
        sends: { server: server.name, model },
      })),
    ),
  ];
}

function folderWords(folder: ModelFolder, families: readonly PrmFamily[]): string {
  const family = families.find((one) => one.name === folder.family);
  const seems = family
    ? `Seems to be: ${family.title}`
    : `Not recognised${folder.architecture && ` (${folder.architecture})`}`;
  const weights = {
    safetensors: "",
    pickled: "Its weights are pickled, and Stepmark never opens pickled files: convert them to safetensors first",
    none: "The folder has no weights",
  }[folder.weights];
  return `${[family ? seems : `${seems}: if it is a PRM, choose its family below`, weights].filter(Boolean).join(". ")}.`;
}

/** Return the current choices. What was not typed is decided by the place, the family and the defaults. */
export function chosen(form: ConnectForm, connections: PrmConnections) {
  const place = places(connections).find((one) => one.value === form.place);
  const name = place?.fixed ? place.family : form.family || place?.family || "";
  const family = connections.families.find((one) => one.name === name);
  const aggregation =
    form.aggregation && family?.aggregations.includes(form.aggregation) ? form.aggregation : family?.aggregation;
  return { place, family, aggregation, title: form.name.trim() || suggestedName(place) };
}

/** Return the last part of the folder, or the model. */
function suggestedName(place: Place | undefined): string {
  if (!place) return "";
  const named = "model" in place.sends ? (place.sends.model ?? "") : place.name;
  return named.split("/").at(-1)?.slice(0, 100) ?? "";
}

/** Return the request; null while something is missing. */
export function request(form: ConnectForm, connections: PrmConnections): ConnectPrm | null {
  const { place, family, aggregation, title } = chosen(form, connections);
  if (!place || !family || !aggregation || (family.reference && !form.reference)) return null;
  const { neutral, separator, dtype, learned_from, for_all } = form;
  const about = { name: title, family: family.name, aggregation, neutral, separator, dtype, learned_from, for_all };
  return {
    folder: "",
    server: "",
    model: "",
    ...about,
    reference: family.reference ? form.reference : "",
    ...place.sends,
  };
}
