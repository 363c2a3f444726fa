/** Types for the list of all labels, straight from the server's schema. */
import type { components } from "./schema";

type Server = components["schemas"];

export type ListedLabel = Server["ListedLabel"];
export type LabelFacets = Server["LabelFacetsOut"];
export type LabelChange = Server["LabelChangeOut"];
export type LabelChangeKind = Server["LabelChangeKind"];
export type ChangeLabels = Server["ChangeLabelsIn"];
export type LabelView = Server["LabelViewOut"];
