/** What the server says of the list of all labels, as its schema has it. */
import type { components } from "./schema";

type Server = components["schemas"];

export type ListedLabel = Server["ListedLabel"];
export type LabelFacets = Server["LabelFacetsOut"];
export type LabelChange = Server["LabelChangeOut"];
export type LabelChangeKind = Server["LabelChangeKind"];
export type ChangeLabels = Server["ChangeLabelsIn"];
export type LabelView = Server["LabelViewOut"];
