/** A problem's tree as rows: which are in sight, which are open at first, and where a key leads. Pure. */
import type { ProblemTree, TreeAnswer, TreeBranch } from "@/api/projectTypes";

/** A branch with the branches that continue it, and the ids of all traces that share it. */
export interface TreeNode {
  branch: TreeBranch;
  next: TreeNode[];
  ids: number[];
}

export interface Forest {
  tops: TreeNode[];
  /** By branch number. */
  nodes: TreeNode[];
}

interface Placed {
  /** Unique in the tree, and the same however much of it is open. */
  key: string;
  level: number;
  /** Its place among its siblings, from 1, and how many of them are in sight. */
  place: number;
  beside: number;
  /** The key of its parent row; null at the top. */
  under: string | null;
}

/** A branch. `open` is null if nothing is under it. */
export type BranchRow = Placed & { kind: "branch"; node: TreeNode; open: boolean | null };
/** The traces that end with the parent branch in one answer. */
export type AnswerRow = Placed & { kind: "answer"; answer: TreeAnswer; branch: number };
/** Further branches that are not in sight. */
type RestRow = Placed & { kind: "rest"; hidden: TreeNode[] };
export type Row = BranchRow | AnswerRow | RestRow;

export interface Unfolded {
  open: ReadonlySet<string>;
  /** How many siblings are in sight, by parent row; `FEW` if nobody asked for more. */
  shown: ReadonlyMap<string, number>;
}

/** How many sibling branches are in sight at first. Of a thousand samples, most have a branch of their own. */
export const FEW = 8;
export const MORE = 20;
/** Roughly how many rows a tree has at first. On a phone, a row takes three times the height. */
export const ROOM = 26;
export const LITTLE_ROOM = 12;
const TOP = "top";

/** Return the branches as a forest. A parent comes before the branches that continue it. */
export function forestOf(tree: Pick<ProblemTree, "branches">): Forest {
  const nodes: TreeNode[] = tree.branches.map((branch) => ({ branch, next: [], ids: [] }));
  const tops: TreeNode[] = [];
  for (const node of nodes) {
    const parent = node.branch.parent === null ? null : nodes[node.branch.parent];
    if (parent) parent.next.push(node);
    else tops.push(node);
  }
  for (const node of [...nodes].reverse()) {
    const own = node.branch.answers.flatMap((answer) => answer.traces);
    node.ids = [...own, ...node.next.flatMap((one) => one.ids)];
  }
  return { tops, nodes };
}

export function keyOf(node: TreeNode): string {
  return `b${node.branch.number}`;
}

/** Return whether anything is under the branch's row. A single trace's answer is in its own row. */
function hasUnder({ branch, next }: TreeNode): boolean {
  return next.length > 0 || branch.traces > 1;
}

/** Return what is open before the user opens anything: the biggest branches that fit, and the way to a trace. */
export function openAtFirst({ tops, nodes }: Forest, to: readonly number[] = [], room = ROOM): Unfolded {
  const open = new Set<string>();
  const shown = new Map<string, number>();
  let rows = rowsUnder(tops);
  const waiting = tops.slice(0, FEW);
  while (waiting.length > 0) {
    waiting.sort((one, other) => other.branch.traces - one.branch.traces);
    const node = waiting.shift();
    if (!node || !hasUnder(node)) continue;
    const more = rowsUnder(node.next) + node.branch.answers.length;
    if (rows + more > room) continue;
    rows += more;
    open.add(keyOf(node));
    waiting.push(...node.next.slice(0, FEW));
  }
  for (const trace of to) openTo(trace, { tops, nodes }, open, shown);
  return { open, shown };
}

function rowsUnder(branches: readonly TreeNode[]): number {
  return Math.min(branches.length, FEW + 1);
}

function openTo(trace: number, { tops, nodes }: Forest, open: Set<string>, shown: Map<string, number>) {
  const way = wayTo(trace, { tops, nodes });
  for (const [step, node] of way.entries()) {
    const before = way[step - 1];
    const beside = before ? before.next : tops;
    const under = before ? keyOf(before) : TOP;
    const needed = beside.indexOf(node) + 1;
    if (needed > FEW) shown.set(under, Math.max(needed, shown.get(under) ?? FEW));
    if (step < way.length - 1) open.add(keyOf(node));
  }
}

/** Return the branches of a trace, from the root on; empty if it is not in the tree. */
export function wayTo(trace: number, { tops, nodes }: Forest): TreeNode[] {
  let node = nodes.find(({ branch }) => branch.answers.some((answer) => answer.traces.includes(trace)));
  const way: TreeNode[] = [];
  while (node) {
    way.unshift(node);
    node = node.branch.parent === null ? undefined : nodes[node.branch.parent];
  }
  return tops.includes(way[0] as TreeNode) ? way : [];
}

/** Return how many steps two traces share from the start; null if one of them is not in the tree. */
export function sharedSteps(one: number, other: number, forest: Forest): number | null {
  const [left, right] = [wayTo(one, forest), wayTo(other, forest)];
  if (left.length === 0 || right.length === 0) return null;
  const common = left.filter((node, step) => node === right[step]).at(-1);
  return common ? common.branch.start + common.branch.length : 0;
}

/** Return the rows in sight, from the top down. */
export function rowsOf({ tops }: Forest, unfolded: Unfolded): Row[] {
  const rows: Row[] = [];
  const add = (branches: readonly TreeNode[], level: number, above: TreeNode | null) => {
    const under = above && keyOf(above);
    const answers = above?.branch.answers ?? [];
    const few = unfolded.shown.get(under ?? TOP) ?? FEW;
    // Hiding a single branch would take as much room as the branch itself.
    const seen = branches.length <= few + 1 ? branches : branches.slice(0, few);
    const hidden = branches.slice(seen.length);
    const beside = answers.length + seen.length + (hidden.length > 0 ? 1 : 0);
    let place = 0;
    const placed = (key: string): Placed => {
      place += 1;
      return { key, level, place, beside, under };
    };
    for (const [index, answer] of answers.entries()) {
      rows.push({ kind: "answer", answer, branch: above?.branch.number ?? 0, ...placed(`${under}a${index}`) });
    }
    for (const node of seen) {
      const key = keyOf(node);
      const open = hasUnder(node) ? unfolded.open.has(key) : null;
      rows.push({ kind: "branch", node, open, ...placed(key) });
      if (open) add(node.next, level + 1, node);
    }
    if (hidden.length > 0) rows.push({ kind: "rest", hidden, ...placed(`${under ?? TOP}rest`) });
  };
  add(tops, 1, null);
  return rows;
}

/**
 * Return what is unfolded after the row was opened or closed, or (for a rest) after more of its branches were shown.
 */
export function toggled(row: Row, { open, shown }: Unfolded, want: boolean | null = null): Unfolded {
  if (row.kind === "rest") {
    const under = row.under ?? TOP;
    return { open, shown: new Map(shown).set(under, (shown.get(under) ?? FEW) + MORE) };
  }
  if (row.kind === "answer" || row.open === null) return { open, shown };
  const after = new Set(open);
  if (want ?? !row.open) after.add(row.key);
  else after.delete(row.key);
  return { open: after, shown };
}

/** Return what a key does on the row in hand: go to another row, or open or close this one. Null for other keys. */
export function keyMeans(key: string, rows: readonly Row[], inHand: string): { to: string } | { open: boolean } | null {
  const at = rows.findIndex((row) => row.key === inHand);
  const row = rows[at];
  if (!row) return null;
  const to = (next: Row | undefined) => ({ to: next?.key ?? inHand });
  if (key === "ArrowDown") return to(rows[at + 1]);
  if (key === "ArrowUp") return to(rows[at - 1]);
  if (key === "Home") return to(rows[0]);
  if (key === "End") return to(rows.at(-1));
  const open = row.kind === "branch" ? row.open : null;
  if (key === "ArrowRight") return open === false ? { open: true } : open ? to(rows[at + 1]) : to(row);
  if (key === "ArrowLeft") return open ? { open: false } : { to: row.under ?? inHand };
  return null;
}

/** Return two traces of a branch to compare: one right and one wrong, or else two that part right after it. */
export function pairOf({ branch, next, ids }: TreeNode): [number, number] | null {
  const outcomes = new Map<number, string>();
  const walk = (node: TreeNode) => {
    for (const { outcomes: said, traces } of node.branch.answers) {
      const outcome =
        said.wrong === 0 && said.ungraded === 0 ? "correct" : said.correct + said.ungraded === 0 ? "wrong" : "";
      for (const trace of traces) outcomes.set(trace, outcome);
    }
    node.next.forEach(walk);
  };
  walk({ branch, next, ids });
  const right = ids.find((id) => outcomes.get(id) === "correct");
  const wrong = ids.find((id) => outcomes.get(id) === "wrong");
  if (right !== undefined && wrong !== undefined) return [right, wrong];
  const groups = [...branch.answers.map(({ traces }) => traces), ...next.map((node) => node.ids)];
  const [one, other] = groups.length > 1 ? [groups[0]?.[0], groups[1]?.[0]] : [ids[0], ids[1]];
  return one !== undefined && other !== undefined ? [one, other] : null;
}
