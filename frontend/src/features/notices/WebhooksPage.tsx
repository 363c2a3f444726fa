import { Checkbox, Switch, TextInput } from "@mantine/core";
import { useState } from "react";
import { useParams } from "react-router";
import {
  type Delivery,
  NOTICE_KINDS,
  PROJECT_NOTICE_KINDS,
  type ProjectNoticeKind,
  type Webhook,
  type WebhookFormat,
} from "@/api/deskTypes";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { useKeptForm } from "@/api/keptForm";
import * as limits from "@/api/limits";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { CopyField } from "@/ui/CopyField";
import type { TableColumn } from "@/ui/DataTable";
import { type Choice, Choices, Form, FormButtons } from "@/ui/Form";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { PagedTable } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import classes from "./notices.module.css";
import { useDeliveries, useWebhookActions, useWebhooks } from "./queries";

const FORMATS: Choice<WebhookFormat>[] = [
  {
    value: "standard",
    name: "All that is said",
    means: "JSON with the facts, signed according to Standard Webhooks: HMAC-SHA256 over time and body.",
  },
  {
    value: "slack",
    name: "A text, as Slack takes it",
    means: "For an incoming webhook of Slack or a compatible service. Its address is its secret.",
  },
];

/** Where the project notifies other systems of events, and whether that worked. */
export function WebhooksPage() {
  const { slug = "" } = useParams();
  const webhooks = useWebhooks(slug);
  return (
    <>
      <PageHeading title="Webhooks" />
      {webhooks.isPending && <SkeletonLines lines={6} />}
      {webhooks.isError && <ErrorState inline error={webhooks.error} retry={() => void webhooks.refetch()} />}
      {webhooks.data && (
        <>
          {webhooks.data.hosts.length === 0 ? (
            <EmptyState inline title="This site allows no webhooks yet">
              <p>
                The operator must list the allowed hosts in the setting <code>WEBHOOK_HOSTS</code>.
              </p>
            </EmptyState>
          ) : (
            <NewWebhook slug={slug} hosts={webhooks.data.hosts} />
          )}
          {webhooks.data.results.length > 0 && (
            <Panel title="Webhooks of this project">
              <div className={classes.hooks}>
                {webhooks.data.results.map((webhook) => (
                  <Hook key={webhook.id} slug={slug} webhook={webhook} />
                ))}
              </div>
            </Panel>
          )}
          <Deliveries slug={slug} />
        </>
      )}
    </>
  );
}

const NEW: { format: WebhookFormat; kinds: ProjectNoticeKind[] } = { format: "standard", kinds: PROJECT_NOTICE_KINDS };

function NewWebhook({ slug, hosts }: { slug: string; hosts: string[] }) {
  const { add } = useWebhookActions(slug);
  const [url, setUrl] = useState(""); // kept nowhere: the address of a chat is its secret
  const kept = useKeptForm(`webhook:${slug}`, () => NEW);
  const { format } = kept.form;
  const kinds = PROJECT_NOTICE_KINDS.filter((kind) => kept.form.kinds.includes(kind));
  const startOver = () => {
    setUrl("");
    kept.startOver();
  };
  const submit = () => kept.sent(add.mutateAsync({ url: url.trim(), format, kinds }), () => setUrl(""));
  return (
    <Panel title="Add a webhook" note={`HTTPS only, to ${hosts.join(", ")}.`}>
      <Form label="Add a webhook" onSubmit={submit} left={{ cameBack: kept.cameBack, startOver }}>
        <ErrorNotice error={otherFault(add.error, ["url", "format", "kinds"])} />
        <TextInput
          label="Address"
          description="Not kept when you leave this page, because it can be a secret."
          name="url"
          type="url"
          placeholder={`https://${hosts[0]}/…`}
          required
          withAsterisk={false}
          {...limits.WebhookIn.url}
          value={url}
          error={fieldFault(add.error, "url")}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <Choices
          legend="It is sent"
          name="format"
          row
          value={format}
          onChange={(format) => kept.set({ format })}
          choices={FORMATS}
        />
        <KindBoxes legend="Send" kinds={kinds} onChange={(kinds) => kept.set({ kinds })} />
        <FormButtons>
          <Button type="submit" kind="primary" disabled={add.isPending || kinds.length === 0}>
            {add.isPending ? "Adding…" : "Add the webhook"}
          </Button>
        </FormButtons>
      </Form>
      {add.data?.format === "standard" && <Secret secret={add.data.secret} />}
    </Panel>
  );
}

function Secret({ secret }: { secret: string }) {
  return (
    <div style={{ marginTop: 16 }}>
      <Notice tone="good" title="Copy the secret now: it is not shown again">
        <div style={{ marginTop: 8 }}>
          <CopyField label="The webhook’s secret" value={secret} />
        </div>
      </Notice>
    </div>
  );
}

interface KindBoxesProps {
  legend: string;
  kinds: ProjectNoticeKind[];
  onChange: (kinds: ProjectNoticeKind[]) => void;
}

function KindBoxes({ legend, kinds, onChange }: KindBoxesProps) {
  return (
    <Checkbox.Group label={legend} value={kinds} onChange={(chosen) => onChange(chosen as ProjectNoticeKind[])}>
      <div className={classes.kinds}>
        {PROJECT_NOTICE_KINDS.map((kind) => (
          <Checkbox key={kind} value={kind} label={NOTICE_KINDS[kind].name} />
        ))}
      </div>
    </Checkbox.Group>
  );
}

function Hook({ slug, webhook }: { slug: string; webhook: Webhook }) {
  const { change, remove, renew, attempt } = useWebhookActions(slug);
  const [removing, setRemoving] = useState(false);
  return (
    <section className={classes.hook} aria-label={webhook.url}>
      <p className={classes.address}>
        <code>{webhook.url}</code>
        {webhook.format === "slack" && <StatusMark tone="quiet">as Slack takes it</StatusMark>}
      </p>
      <KindBoxes
        legend="Sends"
        kinds={webhook.kinds}
        onChange={(kinds) => kinds.length > 0 && change.mutate({ id: webhook.id, kinds })}
      />
      <ErrorNotice error={change.error ?? renew.error ?? attempt.error} />
      <div className={classes.buttons}>
        <Switch
          label={webhook.is_active ? "On" : "Off"}
          checked={webhook.is_active}
          onChange={(event) => change.mutate({ id: webhook.id, is_active: event.currentTarget.checked })}
        />
        <Button disabled={attempt.isPending} onClick={() => attempt.mutate(webhook.id)}>
          Send a message to try it
        </Button>
        {webhook.format === "standard" && (
          <Button disabled={renew.isPending} onClick={() => renew.mutate(webhook.id)}>
            New secret
          </Button>
        )}
        <Button kind="danger" onClick={() => setRemoving(true)}>
          Remove
        </Button>
      </div>
      {renew.data && <Secret secret={renew.data.secret} />}
      <ConfirmDialog
        opened={removing}
        title="Remove this webhook?"
        confirm="Remove it"
        danger
        onConfirm={() => remove.mutateAsync(webhook.id)}
        onClose={() => setRemoving(false)}
      >
        Nothing more is sent to it. The record of its deliveries is deleted too.
      </ConfirmDialog>
    </section>
  );
}

const STATES = { waiting: "busy", delivered: "good", failed: "bad" } as const;

function Deliveries({ slug }: { slug: string }) {
  const deliveries = useDeliveries(slug);
  const { retry } = useWebhookActions(slug);
  const columns: TableColumn<Delivery>[] = [
    { name: "Message", main: true, cell: (delivery) => delivery.title },
    { name: "State", cell: (delivery) => <StatusMark tone={STATES[delivery.status]}>{delivery.status}</StatusMark> },
    { name: "Attempts", align: "right", cell: (delivery) => delivery.attempts },
    {
      name: "Last error",
      cell: (delivery) => (
        <span className={classes.error}>
          {delivery.last_error || "–"}
          {delivery.status === "waiting" && delivery.attempts > 0 && (
            <>
              {" "}
              Again <RelativeTime at={delivery.next_at} />.
            </>
          )}
        </span>
      ),
    },
    { name: "When", cell: (delivery) => <RelativeTime at={delivery.created_at} /> },
    {
      name: "Again",
      quiet: true,
      cell: (delivery) =>
        delivery.status === "delivered" ? null : (
          <Button disabled={retry.isPending} onClick={() => retry.mutate(delivery.id)}>
            Send again
          </Button>
        ),
    },
  ];
  return (
    <Panel bare title="Deliveries" note="A message may arrive twice. It then has the same Stepmark-Delivery number.">
      <PagedTable
        caption="Deliveries, newest first"
        list={deliveries}
        columns={columns}
        rowKey={(delivery) => delivery.id}
        one="delivery"
        many="deliveries"
        empty={<EmptyState inline title="Nothing was sent yet" />}
      />
    </Panel>
  );
}
