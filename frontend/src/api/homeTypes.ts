/** Types for a project's Home and its forecast, straight from the server's schema. */
import type { components } from "./schema";

type Server = components["schemas"];

export type Home = Server["HomeOut"];
export type WaitingThing = Server["WaitingThing"];
export type QualityFigure = Server["QualityFigure"];
export type Forecast = Server["ForecastOut"];
export type SelectorNews = Server["SelectorOut"];
