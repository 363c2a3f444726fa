import { useState } from "react";
import { useParams } from "react-router";
import type { BlindItem, LabelAuditProgress } from "@/api/labelAuditTypes";
import { ofAuditItem } from "@/api/runSteps";
import { commandNamed } from "@/protocol/commands";
import type { LabelingProtocol } from "@/protocol/interface";
import { type Binding, keysOf, useCommandKeys } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import { protocolNamed } from "@/protocol/registry";
import { Button, ButtonLink } from "@/ui/Button";
import { Form, FormButtons } from "@/ui/Form";
import { countOf, formatCount } from "@/ui/format";
import { ErrorNotice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { useRunUnits } from "@/ui/run/useRunUnits";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { TraceHead, useRawText } from "@/ui/trace/TraceText";
import { KeyHints } from "./KeyHints";
import classes from "./labelAudit.module.css";
import { type Turn, useReviewItem, useTurn } from "./labelAuditQueries";
import { RulingFields } from "./RulingFields";
import { LATER, reviewCommands } from "./reviewCommands";
import reviewClasses from "./reviews.module.css";
import { emptyRuling, reopened, rulingLacks, sentRuling } from "./ruling";
import { useKeptRuling } from "./useKeptRuling";
import { useKeyChoices } from "./useListKeys";
import { useStepInHand } from "./useStepInHand";

/** The keys named in the line at the bottom. */
const hints = (protocol: LabelingProtocol): [Binding, string][] => [
  [commandNamed("rate_plus"), "+1,"],
  [commandNamed("rate_zero"), "neutral,"],
  [commandNamed("rate_minus"), `${protocol.words.minus},`],
  [commandNamed("next_step"), "and"],
  [commandNamed("previous_step"), "move,"],
  [commandNamed("submit"), "keeps,"],
  [LATER, "later,"],
  [commandNamed("undo"), "back."],
];

/** One trace after another, showing nothing that was said about it before. */
export function BlindReviewPage() {
  const { slug = "", labelAuditId } = useParams();
  const id = Number(labelAuditId);
  const [turn, setTurn] = useState<Turn>({ number: 0, after: null, again: null });
  const [done, setDone] = useState<number[]>([]);
  const { raw, toggle } = useRawText();
  const found = useTurn(id, turn);
  const go = (to: Partial<Turn>) => setTurn(({ number }) => ({ number: number + 1, after: null, again: null, ...to }));
  const last = done.at(-1);
  return (
    <>
      <PageHeading
        title={`Label audit ${labelAuditId}: review`}
        actions={
          <>
            <ButtonLink to={`/projects/${slug}/label-audits/${labelAuditId}`}>Stop here</ButtonLink>
            {toggle}
          </>
        }
      />
      {found.isPending && <SkeletonLines lines={12} />}
      {found.isError && !found.data && (
        <ErrorState
          inline
          error={found.error}
          retry={() => void found.refetch()}
          actions={<ButtonLink to={`/projects/${slug}/label-audits/${labelAuditId}`}>To the label audit</ButtonLink>}
        />
      )}
      {found.data && !found.data.item && <NoneLeft slug={slug} id={id} progress={found.data.progress} />}
      {found.data?.item && (
        <ReviewOne
          key={turn.number}
          slug={slug}
          labelAuditId={id}
          item={found.data.item}
          progress={found.data.progress}
          raw={raw}
          onReviewed={(item) => {
            setDone((before) => [...before.filter((one) => one !== item), item]);
            go({});
          }}
          onSkip={(place) => go({ after: place })}
          onBack={
            last === undefined
              ? null
              : () => {
                  setDone((before) => before.slice(0, -1));
                  go({ again: last });
                }
          }
        />
      )}
    </>
  );
}

function NoneLeft({ slug, id, progress }: { slug: string; id: number; progress: LabelAuditProgress }) {
  const left = progress.items - progress.reviewed - progress.void;
  return (
    <EmptyState
      inline
      title={left === 0 ? "All labels are reviewed" : "No label is left for you"}
      actions={
        <ButtonLink kind="primary" to={`/projects/${slug}/label-audits/${id}`}>
          To the label audit
        </ButtonLink>
      }
    >
      <p>
        {left === 0
          ? "Finish the label audit to see its report."
          : `${countOf(left, "label")} ${left === 1 ? "remains" : "remain"} for other reviewers: you labeled the trace yourself, or the label is being reviewed now.`}
      </p>
    </EmptyState>
  );
}

interface ReviewOneProps {
  slug: string;
  labelAuditId: number;
  item: BlindItem;
  progress: LabelAuditProgress;
  raw: boolean;
  onReviewed: (item: number) => void;
  onSkip: (place: number) => void;
  onBack: (() => void) | null;
}

function ReviewOne({ slug, labelAuditId, item, progress, raw, onReviewed, onSkip, onBack }: ReviewOneProps) {
  const send = useReviewItem(slug, labelAuditId);
  const steps = item.steps.length;
  const protocol = protocolNamed(item.protocol);
  const begin = item.review ? reopened(protocol, item.review, steps) : emptyRuling(protocol, steps);
  const [draft, setDraft, forget] = useKeptRuling(`audit:${item.id}`, begin);
  const inHand = useStepInHand(draft, setDraft, 0);
  const run = useRunUnits(item.typed_steps, steps, ofAuditItem, item.id);
  const ruling = sentRuling(draft);
  const submit = () =>
    ruling &&
    !send.isPending &&
    send.mutate(
      { id: item.id, ruling },
      {
        onSuccess: () => {
          forget();
          onReviewed(item.id);
        },
      },
    );
  const choices = useKeyChoices();
  const cap = (binding: Binding) => showKey(keysOf(binding, choices)[0] ?? "");
  useCommandKeys(reviewCommands, choices, {
    ...inHand,
    submit,
    later: () => onSkip(item.position),
    back: onBack,
  });
  return (
    <>
      <Panel
        title="Problem"
        note={`${formatCount(progress.reviewed)} of ${countOf(progress.items, "label")} reviewed.`}
      >
        <TraceHead problem={item.problem} finalAnswer={item.final_answer} outcome={item.outcome} raw={raw} />
      </Panel>
      <Panel
        title={item.review ? "Change your review" : "Rate it as if it had no label"}
        note="Your review is compared with the label when the label audit is finished. You can change it until then."
      >
        <div className={reviewClasses.wide}>
          <Form label="Review the trace" onSubmit={submit}>
            <ErrorNotice error={send.error} title="Not kept" />
            <RulingFields
              steps={item.steps}
              draft={draft}
              change={setDraft}
              current={inHand.current}
              raw={raw}
              run={run}
            >
              <div className={reviewClasses.done}>
                <FormButtons>
                  <Button
                    kind="primary"
                    type="submit"
                    disabled={ruling === null || send.isPending}
                    title={`Key ${cap(commandNamed("submit"))}`}
                  >
                    {send.isPending ? "Keeping…" : "Keep and go on"}
                  </Button>
                  <Button onClick={() => onSkip(item.position)} title={`Key ${cap(LATER)}`}>
                    Later
                  </Button>
                  {onBack && (
                    <Button onClick={onBack} title={`Key ${cap(commandNamed("undo"))}`}>
                      Change the last one
                    </Button>
                  )}
                  <span role="status" className={classes.quiet}>
                    {rulingLacks(draft, true) ?? ""}
                  </span>
                </FormButtons>
              </div>
            </RulingFields>
          </Form>
        </div>
      </Panel>
      <KeyHints hints={hints(protocol)} />
    </>
  );
}
