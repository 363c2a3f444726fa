/** Types for time and cost, notices, coaching and people, straight from the server's schema. */
import type { components } from "./schema";

type Server = components["schemas"];

export type Estimate = Server["EstimateOut"];
export type TimeReport = Server["TimeReportOut"];
export type TimeSpent = Server["TimeSpent"];
export type NoticeKind = Server["NoticeOut"]["kind"];
/** The kinds that a project's webhooks can receive too. */
export type ProjectNoticeKind = Server["WebhookOut"]["kinds"][number];
export type Notice = Server["NoticeOut"];
export type NoticeChoices = Server["NoticeChoicesOut"];
export type WebhookFormat = Server["WebhookOut"]["format"];
export type Webhook = Server["WebhookOut"];
export type Webhooks = Server["WebhooksOut"];
export type Unread = Server["UnreadOut"];
export type NoticeChoice = Server["NoticeChoiceIn"];
export type WebhookAsked = Server["WebhookIn"];
export type WebhookChanges = Server["ChangeWebhookIn"];
export type WebhookSecret = Server["SecretOut"];
export type NewWebhook = Server["NewWebhookOut"];
export type Delivery = Server["DeliveryOut"];
export type LabelerFigures = Server["LabelerFigures"];
export type Labelers = Server["LabelersOut"];
export type LabelerPage = Server["LabelerPageOut"];
export type OwnRound = Server["OwnRound"];
export type Coaching = Server["CoachingOut"];
export type Confusion = Server["Confusion"];

/** The name and meaning of each kind of notice, as pages show them. */
export const NOTICE_KINDS: Record<NoticeKind, { name: string; means: string }> = {
  paused: { name: "Paused", means: "A labeler was paused, or may go on." },
  queue_stalled: { name: "Queue stalled", means: "An open round wants labels and nobody claims." },
  hasty_labels: { name: "Hasty labels", means: "Somebody labels faster than one can read." },
  screening: { name: "Screening", means: "Somebody did not pass it, or an admin let somebody go on." },
  gold_short: { name: "Too little gold", means: "A round has less gold than planned that is new to its labelers." },
  round_finished: { name: "Round labeled", means: "All tasks of a round have their labels." },
  export_ready: { name: "Export ready", means: "An export you asked for can be downloaded." },
  no_worker: { name: "No worker", means: "Work waits and no worker is alive to do it." },
  invited: {
    name: "Invitations",
    means: "Somebody invites you to a project, or a mail that invites somebody for you was refused.",
  },
  digest: { name: "Weekly digest", means: "On Monday, the week of each project you run: labels, gold, open rounds." },
};

const OF_PERSONS: NoticeKind[] = ["invited"];
export const PROJECT_NOTICE_KINDS = (Object.keys(NOTICE_KINDS) as NoticeKind[]).filter(
  (kind): kind is ProjectNoticeKind => !OF_PERSONS.includes(kind),
);
