import { type RouteObject, redirect } from "react-router";

const researcher = { least: "researcher" };
const admin = { least: "admin" };

// Addresses of pages before they were renamed: bookmarks and old notices still lead there.
const MOVED: [before: string, now: string][] = [
  ["overview", "home"],
  ["data", "traces"],
  ["standings", "labeler-quality"],
  ["triage", "label-audits"],
  ["triage/:id", "label-audits/:id"],
  ["triage/:id/review", "label-audits/:id/review"],
];

const moved: RouteObject[] = MOVED.map(([before, now]) => ({
  path: before,
  loader: ({ params, request }) =>
    redirect(`/projects/${params.slug}/${now.replace(":id", params.id ?? "")}${new URL(request.url).search}`),
}));

/** The pages of one project, under `projects/:slug`; `handle.least` is the lowest role that sees a page. */
export const projectRoutes: RouteObject[] = [
  {
    index: true,
    lazy: async () => ({ Component: (await import("@/features/projects/ProjectStartPage")).ProjectStartPage }),
  },
  {
    path: "my-work",
    lazy: async () => ({ Component: (await import("@/features/mywork/MyWorkPage")).MyWorkPage }),
  },
  {
    path: "my-work/:labelId",
    lazy: async () => ({ Component: (await import("@/features/mywork/MyLabelPage")).MyLabelPage }),
  },
  {
    path: "my-work/:labelId/compare",
    lazy: async () => ({ Component: (await import("@/features/mywork/ComparePage")).ComparePage }),
  },
  {
    path: "guidelines",
    lazy: async () => ({ Component: (await import("@/features/guidelines/GuidelinesPage")).GuidelinesPage }),
  },
  {
    path: "home",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/overview/OverviewPage")).OverviewPage }),
  },
  {
    path: "traces",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/traces/TracesPage")).TracesPage }),
  },
  {
    path: "traces/:traceId",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/traces/TracePage")).TracePage }),
  },
  {
    path: "traces/problems/:problemId",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/traces/ProblemPage")).ProblemPage }),
  },
  {
    path: "imports",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/imports/ImportsPage")).ImportsPage }),
  },
  {
    path: "imports/:importId",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/imports/ImportPage")).ImportPage }),
  },
  {
    path: "gradings",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/gradings/GradingsPage")).GradingsPage }),
  },
  {
    path: "gradings/:gradingId",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/gradings/GradingPage")).GradingPage }),
  },
  {
    path: "rounds",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/rounds/RoundsPage")).RoundsPage }),
  },
  {
    path: "rounds/new",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/rounds/NewRoundPage")).NewRoundPage }),
  },
  {
    path: "rounds/compare",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/rounds/CompareRoundsPage")).CompareRoundsPage }),
  },
  {
    path: "rounds/:roundId",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/rounds/RoundPage")).RoundPage }),
  },
  {
    path: "models",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/prms/ModelsPage")).ModelsPage }),
  },
  {
    path: "prms",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/prms/PrmsPage")).PrmsPage }),
  },
  {
    path: "prms/connect",
    handle: admin,
    lazy: async () => ({ Component: (await import("@/features/prms/ConnectPrmPage")).ConnectPrmPage }),
  },
  {
    path: "prms/scores",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/prms/ImportScoresPage")).ImportScoresPage }),
  },
  {
    path: "prms/:prmId",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/prms/PrmPage")).PrmPage }),
  },
  {
    path: "prms/train",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/prms/NewTrainingPage")).NewTrainingPage }),
  },
  {
    path: "prms/runs/:runId",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/prms/TrainingRunPage")).TrainingRunPage }),
  },
  {
    path: "evaluations",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/prms/EvaluationsPage")).EvaluationsPage }),
  },
  {
    path: "evaluations/compare",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/prms/ComparePrmsPage")).ComparePrmsPage }),
  },
  {
    path: "evaluations/:evaluationId",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/prms/EvaluationPage")).EvaluationPage }),
  },
  {
    path: "sources",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/sources/SourcesPage")).SourcesPage }),
  },
  {
    path: "failures",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/failures/FailuresPage")).FailuresPage }),
  },
  {
    path: "sources/:sourceId/calibration",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/sources/CalibrationPage")).CalibrationPage }),
  },
  {
    path: "tasks",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/tasks/TasksPage")).TasksPage }),
  },
  {
    path: "tasks/:taskId",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/tasks/TaskPage")).TaskPage }),
  },
  {
    path: "leases",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/tasks/LeasesPage")).LeasesPage }),
  },
  {
    path: "exports",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/exports/ExportsPage")).ExportsPage }),
  },
  {
    path: "exports/new",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/exports/NewExportPage")).NewExportPage }),
  },
  {
    path: "exports/:exportId",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/exports/ExportPage")).ExportPage }),
  },
  {
    path: "releases",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/releases/ReleasesPage")).ReleasesPage }),
  },
  {
    path: "releases/new",
    handle: admin,
    lazy: async () => ({ Component: (await import("@/features/releases/NewReleasePage")).NewReleasePage }),
  },
  {
    path: "releases/:releaseId",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/releases/ReleasePage")).ReleasePage }),
  },
  {
    path: "releases/:releaseId/diff",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/releases/ReleaseDiffPage")).ReleaseDiffPage }),
  },
  {
    path: "releases/:releaseId/labels",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/releases/ReleaseLabelsPage")).ReleaseLabelsPage }),
  },
  {
    path: "releases/:releaseId/labels/:labelId",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/releases/IncidentPage")).IncidentPage }),
  },
  {
    path: "gold",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/gold/GoldPage")).GoldPage }),
  },
  {
    path: "labeler-quality",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/quality/LabelerQualityPage")).LabelerQualityPage }),
  },
  {
    path: "labels",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/labels/LabelsPage")).LabelsPage }),
  },
  {
    path: "review",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/reviews/ReviewsPage")).ReviewsPage }),
  },
  {
    path: "review/:taskId",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/reviews/ReviewPage")).ReviewPage }),
  },
  {
    path: "label-audits",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/reviews/LabelAuditsPage")).LabelAuditsPage }),
  },
  {
    path: "label-audits/:labelAuditId",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/reviews/LabelAuditPage")).LabelAuditPage }),
  },
  {
    path: "label-audits/:labelAuditId/review",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/reviews/BlindReviewPage")).BlindReviewPage }),
  },
  {
    path: "agreement",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/agreement/AgreementPage")).AgreementPage }),
  },
  {
    path: "people",
    handle: admin,
    lazy: async () => ({ Component: (await import("@/features/people/PeoplePage")).PeoplePage }),
  },
  {
    path: "settings",
    handle: admin,
    lazy: async () => ({ Component: (await import("@/features/projects/SettingsPage")).SettingsPage }),
  },
  {
    path: "retention",
    handle: admin,
    lazy: async () => ({ Component: (await import("@/features/projects/RetentionPage")).RetentionPage }),
  },
  {
    path: "labelers/:labelerId",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/labelers/LabelerPage")).LabelerPage }),
  },
  {
    path: "labelers",
    handle: researcher,
    lazy: async () => ({ Component: (await import("@/features/labelers/LabelersPage")).LabelersPage }),
  },
  {
    path: "my-coaching",
    lazy: async () => ({ Component: (await import("@/features/mywork/CoachingPage")).CoachingPage }),
  },
  {
    path: "webhooks",
    handle: admin,
    lazy: async () => ({ Component: (await import("@/features/notices/WebhooksPage")).WebhooksPage }),
  },
  {
    path: "audit",
    handle: admin,
    lazy: async () => ({ Component: (await import("@/features/projects/AuditPage")).AuditPage }),
  },
  ...moved,
];
