import type { Project } from "@/api/projectTypes";
import type { Prm } from "@/api/roundTypes";
import { hasRole, roleIn, useUser } from "@/api/session";
import { Button, ButtonLink } from "@/ui/Button";
import { countOf } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import classes from "./FirstPrmWays.module.css";
import { useTrainingOptions } from "./stagedQueries";

interface FirstPrmWaysProps {
  project: Project;
  prms: readonly Prm[];
  onPlain: () => void;
  onAnyway: () => void;
}

/** For a project without a PRM: the three ways to its first round of convincing wrong answers. */
export function FirstPrmWays({ project, prms, onPlain, onAnyway }: FirstPrmWaysProps) {
  const home = `/projects/${project.slug}`;
  const admin = hasRole(roleIn(useUser(), project.slug), "admin");
  const waiting = prms.filter((prm) => prm.status === "unchecked" || prm.status === "faulty");
  return (
    <section aria-label="Ways to a PRM">
      <h2 className={classes.title}>No PRM can score this project’s traces yet</h2>
      <p className={classes.lead}>
        This round needs a PRM. There are three ways to get one; each brings you back here.
      </p>
      {waiting.map((prm) => (
        <Notice
          key={prm.id}
          tone={prm.status === "faulty" ? "bad" : "info"}
          title={prm.status === "faulty" ? `${prm.name} cannot be used` : `${prm.name} is being checked`}
          actions={<ButtonLink to={`${home}/prms/${prm.id}`}>Look at it</ButtonLink>}
        >
          {prm.error}
        </Notice>
      ))}
      <ol className={classes.ways}>
        <li>
          <h3>Connect a PRM</h3>
          <p>
            Use a PRM that others trained, such as Qwen2.5-Math-PRM, Math-Shepherd or Skywork, or a chat model as a
            judge.
          </p>
          <p className={classes.state}>
            {admin
              ? "Needs no labels. Its weights are stored where the workers run, or on a server."
              : "Needs no labels. Only a project admin can do this."}
          </p>
          {admin && (
            <ButtonLink kind="primary" to={`${home}/prms/connect`}>
              Connect a PRM
            </ButtonLink>
          )}
        </li>
        <TrainWay project={project} />
        <li>
          <h3>Begin without one</h3>
          <p>Open a plain round of randomly drawn traces. Its labels teach your first PRM.</p>
          <p className={classes.state}>{tracesWords(project)}</p>
          <Button onClick={onPlain}>Plain round</Button>
        </li>
      </ol>
      <button type="button" className={classes.anyway} onClick={onAnyway}>
        Set up this kind of round anyway, with a random choice
      </button>
    </section>
  );
}

function tracesWords(project: Project): string {
  const { traces } = project.counts;
  return traces === 0 ? "There are no traces yet. Import some first." : `${countOf(traces, "trace")} to draw from.`;
}

/** Train from imported or own labels: how many there are, and the base to train from. */
function TrainWay({ project }: { project: Project }) {
  const options = useTrainingOptions(project.slug);
  const home = `/projects/${project.slug}`;
  const rounds = options.data?.rounds.filter((round) => round.labels > 0) ?? [];
  const labels = rounds.reduce((sum, round) => sum + round.labels, 0);
  const base = (options.data?.bases.length ?? 0) > 0;
  return (
    <li>
      <h3>Train one</h3>
      <p>Train on labels: imported ones, such as PRM800K’s, or your own. A small head takes minutes without a GPU.</p>
      <p className={classes.state}>
        {!options.data && "Counting the labels…"}
        {options.data && labels === 0 && "There are no labels yet. Import rated traces, or label a first round."}
        {options.data && labels > 0 && `${countOf(labels, "label")} in ${countOf(rounds.length, "round")}.`}
        {options.data && !base && " The site’s operator has not named a base model to train from (TRAINING_BASES)."}
      </p>
      {labels > 0 && base ? (
        <ButtonLink kind="primary" to={`${home}/prms/train`}>
          Train a PRM
        </ButtonLink>
      ) : (
        <ButtonLink to={`${home}/imports`}>Import labels</ButtonLink>
      )}
    </li>
  );
}
