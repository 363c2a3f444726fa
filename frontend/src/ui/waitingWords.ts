/** The text about what a job waits for while it waits for a worker. Pure. */

export interface WaitingFor {
  queue: string;
  workers: number;
  ahead: JobAhead[];
  others: number;
}

export interface JobAhead {
  kind: string;
  id: number;
  words: string;
  name: string;
  project: { slug: string; name: string };
  running: boolean;
}

// The page of a job of each kind, below its project's address.
const PAGES: Record<string, string> = {
  importjob: "imports",
  gradingjob: "gradings",
  trainingrun: "prms/runs",
  evaluation: "evaluations",
  export: "exports",
  release: "releases",
  round: "rounds",
};

export function pageOf({ kind, id, project }: JobAhead): string | null {
  const page = PAGES[kind];
  return page ? `/projects/${project.slug}/${page}/${id}` : null;
}

/** "training First of Algebra"; the project is named if it is another one. */
export function aheadWords({ words, name, project }: JobAhead, slug: string): string {
  const what = name === "" ? words : words === "round" && name.startsWith("round ") ? name : `${words} ${name}`;
  return project.slug === slug ? what : `${what} of ${project.name}`;
}

/** The jobs ahead that are named. If no worker serves the queue, nothing ahead matters. */
export function named(waiting: WaitingFor | undefined): JobAhead[] {
  return waiting && waiting.queue !== "" && waiting.workers > 0 ? waiting.ahead : [];
}

/** The texts before and after the names of the jobs ahead. */
export function waitingWords(
  waiting: WaitingFor | undefined,
  queue: string,
  within = false,
): [before: string, behind: string] {
  const first = `${within ? "w" : "W"}aiting for a worker${queue ? ` of the queue ${queue}` : ""}`;
  const end = within ? "" : ".";
  if (!waiting || waiting.queue === "") return [`${first}${end}`, ""];
  if (waiting.workers === 0)
    return [`${first}${within ? "; none is running" : ". None is running now: an operator can start one."}`, ""];
  const { ahead, others } = waiting;
  if (ahead.length === 0) return [`${first}${others === 0 ? "" : `, behind ${count(others, "job")}`}${end}`, ""];
  return [`${first}, behind `, `${others === 0 ? "" : ` and ${count(others, "other")}`}${end}`];
}

function count(many: number, one: string): string {
  return many === 1 ? `one ${one}` : `${many} ${one}s`;
}
