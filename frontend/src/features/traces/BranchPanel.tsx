import { Link } from "react-router";
import type { ProblemTree } from "@/api/projectTypes";
import { StartLink } from "@/ui/ActiveProject";
import { Button } from "@/ui/Button";
import { countOf, formatCount } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import { Panel } from "@/ui/Panel";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { OutcomeMark } from "@/ui/trace/TraceText";
import { GoldPanel } from "./GoldPanel";
import { MOST_PICKED } from "./PickedTraces";
import { useTrace } from "./queries";
import { StepTold } from "./StepTold";
import { roundOfPicked } from "./traceWords";
import classes from "./tree.module.css";
import { pairOf, type TreeNode } from "./treeRows";
import {
  answersWithin,
  intervalWords,
  outcomeWords,
  placeWords,
  rightWords,
  toldOfBranch,
  toldOfTrace,
} from "./treeWords";

interface BranchPanelProps {
  slug: string;
  tree: ProblemTree;
  /** The branch, and which of its traces to show: all, or those that end with it in one answer. */
  node: TreeNode;
  ids: number[];
  raw: boolean;
  /** The first of two traces to compare, once it is chosen. */
  first: number | null;
  onFirst: (trace: number | null) => void;
  onCompare: (one: number, other: number) => void;
}

/** The branch in hand: its full steps, its traces, and what you can do with them. */
export function BranchPanel(props: BranchPanelProps) {
  const { slug, tree, node, ids, raw, onCompare } = props;
  const { branch } = node;
  const single = ids.length === 1 ? ids[0] : undefined;
  const pair = ids.length > 1 ? pairOf(ids.length === node.ids.length ? node : only(node, ids)) : null;
  return (
    <Panel title={`${placeWords(branch)}: ${countOf(ids.length, "trace")}`} note={noteOf(tree, node, ids)}>
      <div className={classes.doing}>
        {ids.length <= MOST_PICKED ? (
          <StartLink kind="primary" to={`/projects/${slug}/${roundOfPicked(ids)}`}>
            {ids.length === 1 ? "Make a round of this trace" : "Make a round of these traces"}
          </StartLink>
        ) : (
          <p className={classes.quiet}>A round takes {formatCount(MOST_PICKED)} named traces at most.</p>
        )}
        {pair && <Button onClick={() => onCompare(...pair)}>Put two side by side</Button>}
        {single !== undefined && <ChooseForComparison {...props} trace={single} />}
      </div>
      {branch.traces === 1 ? (
        <OneTrace {...props} trace={node.ids[0] as number} />
      ) : (
        <>
          {toldOfBranch(branch, tree).map((step) => (
            <StepTold key={step.place} step={step} raw={raw} />
          ))}
          <TracesOfBranch slug={slug} tree={tree} ids={ids} />
          {single !== undefined && <GoldOf slug={slug} trace={single} />}
        </>
      )}
    </Panel>
  );
}

function only(node: TreeNode, ids: number[]): TreeNode {
  const answers = node.branch.answers.filter(({ traces }) => traces.every((trace) => ids.includes(trace)));
  return { branch: { ...node.branch, answers }, next: [], ids };
}

function noteOf(tree: ProblemTree, { branch, ids: all }: TreeNode, ids: number[]): string {
  if (ids.length < all.length) return "These traces end with this step.";
  if (branch.traces === 1) return `${outcomeWords(branch.outcomes)}. No other trace takes this branch.`;
  const interval = intervalWords(branch.right_share, branch.outcomes);
  const of = `${formatCount(branch.traces)} of ${formatCount(tree.shown)}`;
  return `${of}: ${outcomeWords(branch.outcomes)}; ${rightWords(branch.right_share, branch.outcomes)}${interval && `, 95 %: ${interval}`}`;
}

function ChooseForComparison({ trace, first, onFirst, onCompare }: BranchPanelProps & { trace: number }) {
  if (first === null) return <Button onClick={() => onFirst(trace)}>Compare it with…</Button>;
  if (first === trace) return <Button onClick={() => onFirst(null)}>Cancel the comparison</Button>;
  return <Button onClick={() => onCompare(first, trace)}>Compare with trace {first}</Button>;
}

const FEW_IDS = 6;

function TracesOfBranch({ slug, tree, ids }: { slug: string; tree: ProblemTree; ids: number[] }) {
  return (
    <dl className={classes.traces}>
      {answersWithin(ids, tree.answers).map((group) => (
        <div key={group.words}>
          <dt>
            <MathText text={group.words} excerpt /> <small>{countOf(group.ids.length, "trace")}</small>
          </dt>
          <dd>
            {group.ids.slice(0, FEW_IDS).map((id) => (
              <Link key={id} to={`/projects/${slug}/traces/${id}`} aria-label={`Trace ${id}`}>
                {id}
              </Link>
            ))}
            {group.ids.length > FEW_IDS && <span>and {formatCount(group.ids.length - FEW_IDS)} more</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What a branch of a single trace adds to the tree: all its steps with every label on them. */
function OneTrace({ slug, tree, node, raw, trace: id }: BranchPanelProps & { trace: number }) {
  const trace = useTrace(id);
  if (trace.isPending) return <SkeletonLines lines={6} />;
  if (trace.isError) return <ErrorState inline error={trace.error} retry={() => void trace.refetch()} />;
  return (
    <>
      <div className={classes.ofTrace}>
        <Link to={`/projects/${slug}/traces/${id}`}>Trace {id}</Link>
        <OutcomeMark outcome={trace.data.outcome} />
        <span>
          answers {trace.data.final_answer === null ? "nothing" : <MathText text={trace.data.final_answer} excerpt />}
        </span>
      </div>
      {toldOfTrace(trace.data, tree.scorer?.id ?? null, node.branch.start).map((step) => (
        <StepTold key={step.place} step={step} raw={raw} />
      ))}
      <GoldPanel slug={slug} trace={trace.data} />
    </>
  );
}

function GoldOf({ slug, trace: id }: { slug: string; trace: number }) {
  const trace = useTrace(id);
  return trace.data ? <GoldPanel slug={slug} trace={trace.data} /> : null;
}
