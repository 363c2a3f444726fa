import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { useParams } from "react-router";
import { useChangeGold, useGold, useGoldCounts, useRestoreGold, useRetireGold } from "@/api/gold";
import type { GoldCounts, GoldItem } from "@/api/qualityTypes";
import { hasRole, roleIn, useUser } from "@/api/session";
import { StartLink } from "@/ui/ActiveProject";
import { Button, ButtonLink } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import type { TableColumn } from "@/ui/DataTable";
import { Dialog } from "@/ui/Dialog";
import { Filters } from "@/ui/Form";
import { formatCount } from "@/ui/format";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { Figure, Figures } from "@/ui/Panel";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState } from "@/ui/states";
import { acceptableWords, GoldForm, verdictWords } from "@/ui/trace/GoldForm";
import { ProblemExcerpt } from "@/ui/trace/TraceText";
import { useUrlFilters } from "@/ui/useUrlFilters";
import classes from "./gold.module.css";
import { decisiveWords, lackingWords, SIGN_WORDS } from "./goldWords";
import { PassRate } from "./PassRate";

const FILTERS = ["status"] as const;
const ORIGINS = { admin: "made by an admin", adjudication: "settled in review", import: "imported" };

/** The project's gold: how labelers do on each item, and which items deserve a second look. */
export function GoldPage() {
  const { slug = "" } = useParams();
  const admin = hasRole(roleIn(useUser(), slug), "admin");
  const { filters, setFilter } = useUrlFilters(FILTERS);
  const status = filters.status || "active";
  const gold = useGold(slug, status);
  const counts = useGoldCounts(slug);
  const restore = useRestoreGold(slug);
  const [changing, setChanging] = useState<GoldItem | null>(null);
  const [retiring, setRetiring] = useState<GoldItem | null>(null);
  const columns: TableColumn<GoldItem>[] = [
    { name: "Trace", main: true, cell: (item) => <Item slug={slug} item={item} /> },
    { name: "Passed", width: "220px", cell: (item) => <PassRate tally={item.tally} /> },
    { name: "Answers", width: "190px", cell: (item) => <Answers item={item} /> },
    ...(admin
      ? [
          {
            name: "Change",
            quiet: true,
            cell: (item: GoldItem) => (
              <div className={classes.buttons}>
                <Button onClick={() => setChanging(item)}>Edit</Button>
                {item.status === "active" ? (
                  <Button kind="danger" onClick={() => setRetiring(item)}>
                    Retire
                  </Button>
                ) : (
                  <Button disabled={restore.isPending} onClick={() => restore.mutate(item.id)}>
                    Restore
                  </Button>
                )}
              </div>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <PageHeading
        title="Gold"
        actions={
          admin && (
            <>
              <StartLink to={`/projects/${slug}/traces`}>Choose a trace</StartLink>
              <StartLink kind="primary" to={`/projects/${slug}/imports?gold=1`}>
                Import gold
              </StartLink>
            </>
          )
        }
      >
        <p className={classes.lead}>
          Gold tasks have a known first error. Labelers get them among their other tasks and cannot tell which are gold.
        </p>
      </PageHeading>
      {counts.data && <Counts slug={slug} counts={counts.data} />}
      <Filters>
        <NativeSelect
          label="Show"
          data={[
            { value: "active", label: "in use" },
            { value: "retired", label: "retired" },
          ]}
          value={status}
          onChange={(event) => setFilter("status", event.currentTarget.value)}
        />
      </Filters>
      <ErrorNotice error={restore.error} title="Nothing was changed" />
      <PagedTable
        aligned
        caption="Gold, newest first"
        list={gold}
        columns={columns}
        rowKey={(item) => item.id}
        one="gold item"
        empty={<NoGold retired={status === "retired"} />}
      />
      {changing && <EditDialog slug={slug} item={changing} onClose={() => setChanging(null)} />}
      <RetireDialog slug={slug} item={retiring} onClose={() => setRetiring(null)} />
    </>
  );
}

function Counts({ slug, counts }: { slug: string; counts: GoldCounts }) {
  const lacking = lackingWords(counts);
  const isAdmin = hasRole(roleIn(useUser(), slug), "admin");
  return (
    <div className={classes.counts}>
      <Figures>
        <Figure name="In use" value={formatCount(counts.active)} note={`${formatCount(counts.fresh)} not used yet`} />
        <Figure
          name="In each round"
          value={counts.a_round === 0 ? "none" : formatCount(counts.a_round)}
          note="once for every labeler"
        />
        <Figure
          name="In a screening"
          value={counts.a_screening === 0 ? "off" : formatCount(counts.a_screening)}
          note="before real work"
        />
        <Figure
          name="Left to meet"
          value={counts.least_left === null ? "–" : formatCount(counts.least_left)}
          note={counts.least_left === null ? "nobody labels yet" : "for the labeler who has had most"}
        />
        <Figure name="Retired" value={formatCount(counts.retired)} note="no longer given out or counted" />
      </Figures>
      {lacking && (
        <Notice
          tone="warn"
          title="There is too little gold"
          actions={isAdmin && <ButtonLink to={`/projects/${slug}/settings`}>Settings</ButtonLink>}
        >
          {lacking}
        </Notice>
      )}
    </div>
  );
}

function Item({ slug, item }: { slug: string; item: GoldItem }) {
  return (
    <div className={classes.item}>
      <RowLink to={`/projects/${slug}/traces/${item.trace_id}`}>
        <ProblemExcerpt text={item.problem_text} />
      </RowLink>
      <small>
        Passes: <strong>{acceptableWords(item.acceptable)}</strong> · {ORIGINS[item.origin]}
      </small>
      {item.acceptable_decisive.length > 0 && (
        <small>
          Decisive error: <strong>{acceptableWords(item.acceptable_decisive)}</strong> · {decisiveWords(item)}
        </small>
      )}
      {item.tally.signs.map((sign) => (
        <p key={sign} className={classes.sign}>
          <StatusMark tone="bad">{SIGN_WORDS[sign].name}</StatusMark> {SIGN_WORDS[sign].means}
        </p>
      ))}
      {item.tally.objections.map(({ labeler, verdict, text }) => (
        <p key={labeler + text} className={classes.sign}>
          <StatusMark tone="held">{`${labeler} disagrees`}</StatusMark> and said {verdictWords(verdict)}: {text}
        </p>
      ))}
      {item.retired_because && <small>Retired: {item.retired_because}</small>}
    </div>
  );
}

function Answers({ item }: { item: GoldItem }) {
  const { verdicts, n } = item.tally;
  if (n === 0) return <span className={classes.quiet}>none yet</span>;
  return (
    <ul className={classes.answers}>
      {verdicts.slice(0, 4).map(({ verdict, n: count, accepted }) => (
        <li key={String(verdict)} data-accepted={accepted || undefined}>
          <span>{verdict === null ? "gave up" : acceptableWords([verdict])}</span>
          <i aria-hidden style={{ width: `${(100 * count) / n}%` }} />
          <b>{count}</b>
        </li>
      ))}
      {verdicts.length > 4 && <li>{verdicts.length - 4} more kinds of answer</li>}
    </ul>
  );
}

function NoGold({ retired }: { retired: boolean }) {
  return retired ? (
    <EmptyState inline title="No retired gold">
      <p>An item that is ambiguous, wrong or known to labelers can be retired; its answers then count no more.</p>
    </EmptyState>
  ) : (
    <EmptyState inline title="No gold yet">
      <p>
        Open a trace whose first error you are sure of, and press “Make it gold”. Or import rows with a{" "}
        <code>first_error</code>.
      </p>
    </EmptyState>
  );
}

function EditDialog({ slug, item, onClose }: { slug: string; item: GoldItem; onClose: () => void }) {
  const change = useChangeGold(slug);
  const { acceptable, acceptable_decisive, explanation, paragraph } = item;
  return (
    <Dialog shape="wide" title="Edit gold" onClose={onClose}>
      <GoldForm
        steps={item.steps}
        run={item.is_run}
        said={{ acceptable, acceptable_decisive, explanation, paragraph }}
        save={item.tally.n > 0 ? "Save, and judge old answers again" : "Save"}
        error={change.error}
        busy={change.isPending}
        onSave={(said) => change.mutate({ id: item.id, said }, { onSuccess: onClose })}
        onCancel={onClose}
      />
    </Dialog>
  );
}

function RetireDialog({ slug, item, onClose }: { slug: string; item: GoldItem | null; onClose: () => void }) {
  const retire = useRetireGold(slug);
  const reason = item?.tally.signs.map((sign) => SIGN_WORDS[sign].name).join(", ") ?? "";
  return (
    <ConfirmDialog
      opened={item !== null}
      title="Retire this gold item?"
      confirm="Retire"
      danger
      onConfirm={async () => item && (await retire.mutateAsync({ id: item.id, reason }))}
      onClose={onClose}
    >
      New rounds and screenings no longer take it, and the {formatCount(item?.tally.n ?? 0)} answers to it no longer
      count for anybody. Rounds under way still show it, so that nobody can see which of their tasks it was. You can
      restore it any time.
    </ConfirmDialog>
  );
}
