/** What the server says of a project's Home and of its forecast, as its schema has it. */
import type { components } from "./schema";

type Server = components["schemas"];

export type Home = Server["HomeOut"];
export type WaitingThing = Server["WaitingThing"];
export type QualityFigure = Server["QualityFigure"];
export type Forecast = Server["ForecastOut"];
export type SelectorNews = Server["SelectorOut"];
