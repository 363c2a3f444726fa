import { NativeSelect } from "@mantine/core";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useParams, useSearchParams } from "react-router";
import type { ProblemTree } from "@/api/projectTypes";
import { StartLink } from "@/ui/ActiveProject";
import { Button, ButtonLink } from "@/ui/Button";
import { formatCount } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import { Notice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Panel } from "@/ui/Panel";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { AcceptedAnswers, useRawText } from "@/ui/trace/TraceText";
import { BranchPanel } from "./BranchPanel";
import { useProblemTree } from "./queries";
import { SideBySide } from "./SideBySide";
import { AnswerList, OutcomeBar, TraceTree } from "./TraceTree";
import classes from "./tree.module.css";
import {
  type AnswerRow,
  type BranchRow,
  type Forest,
  forestOf,
  keyOf,
  LITTLE_ROOM,
  openAtFirst,
  ROOM,
  type TreeNode,
  wayTo,
} from "./treeRows";
import { headline, intervalWords, outcomeWords, rightWords } from "./treeWords";

/** Return the two ids of `?compare=12,15`, or null. */
function pairIn(text: string | null): [number, number] | null {
  const [one, other, ...rest] = (text ?? "").split(",").map(Number);
  return one && other && rest.length === 0 && one !== other ? [one, other] : null;
}

/** A problem's traces as one tree: what they share, where they part, and what is known about every branch. */
export function ProblemPage() {
  const { slug = "", problemId } = useParams();
  const [params, setParams] = useSearchParams();
  const pair = pairIn(params.get("compare"));
  const asked = Number(params.get("trace")) || null;
  // The tree always includes traces named by the address when the page opened. Those chosen later are in it already.
  const [named] = useState<number[]>(() => pair ?? (asked ? [asked] : []));
  const scorer = params.get("scorer") ?? "";
  const tree = useProblemTree(Number(problemId), scorer, named);
  const forest = useMemo(() => forestOf(tree.data ?? { branches: [] }), [tree.data]);
  const { raw, toggle } = useRawText();
  const set = (name: string, value: string | null) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (value) after.set(name, value);
        else after.delete(name);
        return after;
      },
      { preventScrollReset: true },
    );
  return (
    <>
      <PageHeading
        title={tree.data ? headline(tree.data, forest) : `Problem ${problemId}`}
        actions={
          <>
            {tree.data && <ScorerChoice tree={tree.data} onChoose={(id) => set("scorer", id)} />}
            {toggle}
            <ButtonLink to={`/projects/${slug}/traces`}>All traces</ButtonLink>
          </>
        }
      />
      {tree.isPending && <SkeletonLines lines={12} />}
      {tree.isError && !tree.data && <ErrorState inline error={tree.error} retry={() => void tree.refetch()} />}
      {tree.data && (
        <>
          <ProblemHead tree={tree.data} raw={raw} />
          {pair && (
            <SideBySide
              slug={slug}
              tree={tree.data}
              forest={forest}
              ids={pair}
              raw={raw}
              onBack={() => set("compare", null)}
            />
          )}
          {/* stays mounted behind two traces side by side, so that the way back leads to what was open */}
          <div hidden={pair !== null}>
            <TreeAndBranch
              key={problemId}
              slug={slug}
              tree={tree.data}
              forest={forest}
              raw={raw}
              to={named}
              onCompare={(one, other) => set("compare", `${one},${other}`)}
            />
          </div>
        </>
      )}
    </>
  );
}

function ScorerChoice({ tree, onChoose }: { tree: ProblemTree; onChoose: (id: string) => void }) {
  if (tree.scorers.length < 2) return null;
  return (
    <NativeSelect
      aria-label="Scores by"
      value={String(tree.scorer?.id)}
      data={tree.scorers.map(({ id, name }) => ({ value: String(id), label: name }))}
      onChange={(event) => onChoose(event.currentTarget.value)}
    />
  );
}

function ProblemHead({ tree, raw }: { tree: ProblemTree; raw: boolean }) {
  const { problem } = tree;
  const origin = [problem.external_id, problem.subject, problem.level && `level ${problem.level}`, problem.source];
  return (
    <Panel title="Problem" note={origin.filter(Boolean).join(" · ")}>
      <div className={classes.head}>
        <div>
          <div className="read">
            <MathText text={problem.text} raw={raw} />
          </div>
          <Facts
            facts={[
              [
                "Ground-truth answer",
                problem.answer === null ? "none" : <MathText key="answer" text={problem.answer} raw={raw} />,
                problem.answer,
              ],
              ...(problem.accepted_answers.length > 0
                ? [["Right too", <AcceptedAnswers key="accepted" problem={problem} raw={raw} />] as [string, ReactNode]]
                : []),
            ]}
          />
        </div>
        {tree.shown > 1 && (
          <div className={classes.outcomes}>
            <OutcomeBar outcomes={tree.outcomes} />
            <p>
              {outcomeWords(tree.outcomes)}
              <br />
              <strong>{rightWords(tree.right_share, tree.outcomes)}</strong>{" "}
              <small>
                {intervalWords(tree.right_share, tree.outcomes) &&
                  `95 %: ${intervalWords(tree.right_share, tree.outcomes)}`}
              </small>
            </p>
            <AnswerList tree={tree} />
          </div>
        )}
      </div>
    </Panel>
  );
}

interface TreeAndBranchProps {
  slug: string;
  tree: ProblemTree;
  forest: Forest;
  raw: boolean;
  /** Traces whose branches are open from the start. */
  to: number[];
  onCompare: (one: number, other: number) => void;
}

interface Chosen {
  key: string;
  /** The number of the branch. */
  number: number;
  ids: number[];
}

function TreeAndBranch({ slug, tree, forest, raw, to, onCompare }: TreeAndBranchProps) {
  const [unfolded, setUnfolded] = useState(() => openAtFirst(forest, to, roomHere()));
  const [chosen, setChosen] = useState<Chosen | null>(() => endOf(wayTo(to[0] ?? 0, forest)));
  const [first, setFirst] = useState<number | null>(null);
  const [jumps, setJumps] = useState(0);
  const beside = useRef<HTMLDivElement>(null);
  const pressed = useRef(false);
  useEffect(() => {
    if (!pressed.current || !chosen) return;
    pressed.current = false;
    const box = beside.current?.getBoundingClientRect();
    // In a narrow window the branch is below the tree, so bring it into view.
    if (box && box.top > window.innerHeight - 80) beside.current?.scrollIntoView({ block: "start" });
  }, [chosen]);
  const choose = (row: BranchRow | AnswerRow) => {
    pressed.current = true;
    if (row.kind === "branch") setChosen(chosenOf(row.node));
    else setChosen({ key: row.key, number: row.branch, ids: row.answer.traces });
  };
  const jump = () => {
    const at = tree.first_dispute && forest.nodes[tree.first_dispute.branch];
    if (!at) return;
    setUnfolded(openAtFirst(forest, at.ids.slice(0, 1), roomHere()));
    setChosen(chosenOf(at));
    setJumps(jumps + 1);
  };
  const node = chosen && forest.nodes[chosen.number];
  if (tree.shown === 0) {
    return (
      <EmptyState
        inline
        title="No traces, so no tree"
        actions={<StartLink to={`/projects/${slug}/imports`}>Import traces</StartLink>}
      >
        <p>
          The problem was imported without solutions, or all of them were replaced. A prepared round can have solutions
          written.
        </p>
      </EmptyState>
    );
  }
  return (
    <>
      {tree.shown === 1 && (
        <Notice tone="info" title="There is only one trace, so the tree has no branches">
          Import more samples of this problem, or have them written in a prepared round. The tree then shows where they
          part.
        </Notice>
      )}
      {tree.shown < tree.total && (
        <Notice tone="info">
          {formatCount(tree.shown)} of {formatCount(tree.total)} traces are shown. They were drawn at random, and are
          always the same ones. Shares refer to these traces.
        </Notice>
      )}
      <div className={classes.besides}>
        <div>
          <div className={classes.above}>
            <p className={classes.quiet}>
              {tree.scorer ? `Scores by ${tree.scorer.name}.` : "No model has scored these traces."}
            </p>
            {tree.first_dispute ? (
              <Button onClick={jump}>Go to the first disagreement</Button>
            ) : (
              <p className={classes.quiet}>There are no disagreements about steps.</p>
            )}
          </div>
          <TraceTree
            key={jumps}
            tree={tree}
            forest={forest}
            unfolded={unfolded}
            onUnfold={setUnfolded}
            chosen={chosen?.key ?? null}
            onChoose={choose}
            focused={jumps > 0}
          />
        </div>
        <div ref={beside} className={classes.beside}>
          {first !== null && (
            <Notice tone="info">You are comparing trace {first}. Choose a branch with the other trace.</Notice>
          )}
          {chosen && node ? (
            <BranchPanel
              key={chosen.key}
              slug={slug}
              tree={tree}
              node={node}
              ids={chosen.ids}
              raw={raw}
              first={first}
              onFirst={setFirst}
              onCompare={onCompare}
            />
          ) : (
            <Panel title="Choose a branch">
              <p className={classes.quiet}>
                Click a row, or press Enter, to see the full steps and what you can do with the traces. Use the arrow
                keys to move between rows: → opens a branch and ← closes it.
              </p>
            </Panel>
          )}
        </div>
      </div>
    </>
  );
}

function roomHere(): number {
  return window.innerWidth > 720 ? ROOM : LITTLE_ROOM;
}

function endOf(way: TreeNode[]): Chosen | null {
  const node = way.at(-1);
  return node ? chosenOf(node) : null;
}

function chosenOf(node: TreeNode): Chosen {
  return { key: keyOf(node), number: node.branch.number, ids: node.ids };
}
