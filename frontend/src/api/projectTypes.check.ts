/** Holds the types of `projectTypes.ts` and `jobTypes.ts` and the server's schema together, as `types.check.ts` does for `types.ts`. */
import type * as Jobs from "./jobTypes";
import type * as Page from "./projectTypes";
import type { components } from "./schema";

type Server = components["schemas"];
/** An error unless every `Given` may be used where a `Wanted` is expected. */
type Fits<Given extends Wanted, Wanted> = Given;

/** What the server answers is what the pages read. */
export type Answers = [
  Fits<Server["ProjectOut"], Page.Project>,
  Fits<Server["MemberOut"], Page.ProjectMember>,
  Fits<Server["InvitationOut"], Page.Invitation>,
  Fits<Server["NewInvitationOut"], Page.Invitation>,
  Fits<Server["PublicInvitationOut"], Page.InvitationPreview>,
  Fits<Server["TokenOut"], Page.ApiToken>,
  Fits<Server["NewTokenOut"], Page.ApiToken>,
  Fits<Server["GuidelineVersion"], Page.GuidelineVersion>,
  Fits<Server["AuditEventOut"], Page.AuditEvent>,
  Fits<Server["ImportOut"], Jobs.ImportJob>,
  Fits<Server["TraceSummary"], Page.TraceSummary>,
  Fits<keyof Server["TraceOut"], keyof Page.TraceDetail>,
  Fits<keyof Server["LabelDetail"], keyof Page.LabelDetail>,
  Fits<keyof Server["TaskOut"], keyof Page.TaskDetail>,
  Fits<Server["TaskSummary"], Page.TaskSummary>,
  Fits<Server["RoundPreview"], Page.RoundPreview>,
  Fits<Omit<Server["RoundOut"], "config">, Omit<Page.Round, "config">>,
  Fits<Omit<Server["LeaseHeld"], "progress">, Omit<Page.Lease, "progress">>,
  Fits<Omit<Server["ExportOut"], "config">, Omit<Jobs.Export, "config">>,
  Fits<keyof Server["OverviewOut"], keyof Page.Overview>,
];

/** What the pages send is what the server takes; fields with a default may be left out. */
export type Requests = [
  Fits<Page.TraceFilter, Partial<Server["TraceFilter"]>>,
  Fits<Omit<Page.RoundChoice, "filter">, Partial<Server["ChooseTracesIn"]>>,
  Fits<Omit<Page.NewRound, "filter">, Partial<Server["OpenRoundIn"]>>,
  Fits<Jobs.NewExport, Partial<Server["ExportIn"]>>,
];
