import { NumberInput } from "@mantine/core";
import { useState } from "react";
import { useParams } from "react-router";
import * as limits from "@/api/limits";
import type { NewSourceRun, Source, SourceRun } from "@/api/sourceTypes";
import { WhileActive } from "@/ui/ActiveProject";
import { Button } from "@/ui/Button";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { Form, FormButtons, FormRow, SelectField, TextField } from "@/ui/Form";
import { formatCount } from "@/ui/format";
import { ErrorNotice } from "@/ui/Notice";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { ProgressLine } from "@/ui/ProgressLine";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { NewSourceForm } from "./NewSourceForm";
import { useChangeRun, useEstimate, useRuns, useSources, useStartRun } from "./queries";
import classes from "./sources.module.css";
import {
  budgetWords,
  estimateSentence,
  kindName,
  RUN_STATES,
  sameAgain,
  settingsWords,
  usedWords,
} from "./sourceWords";

/** Machines that mark steps: which exist, running one over traces, and the progress of runs. */
export function SourcesPage() {
  const { slug = "" } = useParams();
  const sources = useSources(slug);
  return (
    <>
      <PageHeading title="Machine labels" />
      {sources.isPending && <SkeletonLines lines={6} />}
      {sources.isError && !sources.data && (
        <ErrorState inline error={sources.error} retry={() => void sources.refetch()} />
      )}
      {sources.data && (
        <>
          <SourceList sources={sources.data.results} />
          <WhileActive>
            <StartPanel slug={slug} sources={sources.data.results.filter((one) => one.runs_here)} />
          </WhileActive>
          <Runs slug={slug} />
          <WhileActive>
            <NewSourceForm slug={slug} sources={sources.data} />
          </WhileActive>
        </>
      )}
    </>
  );
}

const columns: TableColumn<Source>[] = [
  {
    name: "Source",
    main: true,
    cell: (one) => (
      <>
        <RowLink to={`${one.id}/calibration`}>{one.name}</RowLink>
        <small className={classes.note}>{settingsWords(one)}</small>
      </>
    ),
  },
  { name: "Kind", cell: (one) => kindName(one.kind) },
  { name: "Traces marked", align: "right", cell: (one) => formatCount(one.scored) },
  { name: "Made", cell: (one) => <RelativeTime at={one.created_at} /> },
];

function SourceList({ sources }: { sources: Source[] }) {
  return (
    <Panel
      bare
      title="Sources"
      note="Marks are stored next to people’s labels, with their source. They never become part of a label. Labelers see them before sending a label only in assisted rounds. Select a source to see how it compares with people."
    >
      {sources.length === 0 ? (
        <EmptyState inline title="No machine has marked anything yet">
          <p>Imported traces are checked automatically. You can add a judge or rollouts below.</p>
        </EmptyState>
      ) : (
        <DataTable caption="Sources, newest first" columns={columns} rows={sources} rowKey={(one) => one.id} />
      )}
    </Panel>
  );
}

type Outcome = "" | "correct" | "wrong";
const OUTCOMES: { value: Outcome; label: string }[] = [
  { value: "", label: "any" },
  { value: "correct", label: "right answer" },
  { value: "wrong", label: "wrong answer" },
];

function StartPanel({ slug, sources }: { slug: string; sources: Source[] }) {
  const start = useStartRun(slug);
  const [chosen, setChosen] = useState("");
  const [outcome, setOutcome] = useState<Outcome>("");
  const [generator, setGenerator] = useState("");
  const [subject, setSubject] = useState("");
  const [tokens, setTokens] = useState<number | "">("");
  const [money, setMoney] = useState<number | "">("");
  const source = sources.find((one) => String(one.id) === chosen) ?? sources[0];
  const asked: NewSourceRun | null = source
    ? {
        source: source.id,
        filter: { ...(outcome && { outcome }), ...(generator && { generator }), ...(subject && { subject }) },
        token_budget: tokens === "" ? null : tokens,
        money_budget: money === "" ? null : money,
      }
    : null;
  const estimate = useEstimate(slug, asked);
  if (!source || !asked) return null;
  return (
    <Panel
      title="Mark traces"
      note="Workers mark the traces that fit and that this source has not seen. You can stop at any time and continue later."
    >
      <Form onSubmit={() => start.mutate(asked)} label="Mark traces">
        <FormRow wide>
          <SelectField
            label="Source"
            value={String(source.id)}
            choices={sources.map((one) => ({ value: String(one.id), label: one.name }))}
            onChange={setChosen}
          />
          <SelectField label="Outcome" value={outcome} choices={OUTCOMES} onChange={setOutcome} />
          <TextField label="Generator" placeholder="any" value={generator} onChange={setGenerator} />
          <TextField label="Subject" placeholder="any" value={subject} onChange={setSubject} />
        </FormRow>
        {source.kind !== "verifier" && source.kind !== "consensus" && (
          <FormRow>
            <NumberInput
              label="Budget, tokens"
              placeholder="none"
              {...limits.RunSourceIn.token_budget}
              allowDecimal={false}
              thousandSeparator=","
              value={tokens}
              onChange={(value) => setTokens(value === "" ? "" : Number(value))}
            />
            <NumberInput
              label="Budget, money"
              placeholder="none"
              {...limits.RunSourceIn.money_budget}
              value={money}
              onChange={(value) => setMoney(value === "" ? "" : Number(value))}
            />
          </FormRow>
        )}
        <p className={classes.estimate} aria-live="polite">
          {estimate.data ? estimateSentence(estimate.data) : estimate.isError ? "" : "Counting…"}
        </p>
        <ErrorNotice error={start.error ?? estimate.error} />
        <FormButtons>
          <Button kind="primary" type="submit" disabled={start.isPending || !estimate.data?.traces}>
            {start.isPending ? "Starting…" : "Start"}
          </Button>
        </FormButtons>
      </Form>
    </Panel>
  );
}

function Runs({ slug }: { slug: string }) {
  const change = useChangeRun(slug);
  const runColumns: TableColumn<SourceRun>[] = [
    {
      name: "Run",
      main: true,
      cell: (run) => (
        <>
          <span>{run.source.name}</span>
          <small className={classes.note}>{usedWords(run)}</small>
          {budgetWords(run) && <small className={classes.note}>Stops at {budgetWords(run)}</small>}
          {run.error && <small className={classes.fault}>{run.error}</small>}
        </>
      ),
    },
    {
      name: "State",
      cell: (run) => <StatusMark tone={RUN_STATES[run.status].tone}>{RUN_STATES[run.status].name}</StatusMark>,
    },
    {
      name: "Traces",
      cell: (run) => (
        <div className={classes.progress}>
          <span className="tabular">
            {formatCount(run.traces_done)} of {formatCount(run.traces_total)}
          </span>
          {run.status === "running" && (
            <ProgressLine label={`Run ${run.id}`} done={run.traces_done} total={run.traces_total} />
          )}
        </div>
      ),
    },
    { name: "When", cell: (run) => <RelativeTime at={run.created_at} /> },
    {
      name: "Change",
      quiet: true,
      cell: (run) =>
        run.status === "running" ? (
          <Button aria-label={`Stop run ${run.id}`} onClick={() => change.mutate({ id: run.id, change: "cancel" })}>
            Stop
          </Button>
        ) : (
          run.status !== "succeeded" && (
            <Button
              aria-label={`Go on with run ${run.id}`}
              onClick={() => change.mutate({ id: run.id, change: "resume", budget: sameAgain(run) })}
            >
              {budgetWords(run) ? `Go on, up to ${budgetWords(sameAgain(run))}` : "Go on"}
            </Button>
          )
        ),
    },
  ];
  return (
    <Panel bare title="Runs">
      <ErrorNotice error={change.error} />
      <PagedTable
        caption="Runs, newest first"
        list={useRuns(slug)}
        columns={runColumns}
        rowKey={(run) => run.id}
        one="run"
        empty={<p className={classes.quiet}>None yet. Importing traces starts a check automatically.</p>}
      />
    </Panel>
  );
}
