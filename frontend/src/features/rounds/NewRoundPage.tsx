import { useState } from "react";
import { useParams } from "react-router";
import { useProject } from "@/api/projects";
import type { Project, Round } from "@/api/projectTypes";
import { useIsArchived } from "@/ui/ActiveProject";
import { Choices } from "@/ui/Form";
import { Notice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { useUrlFilters } from "@/ui/useUrlFilters";
import { FirstPrmWays } from "./FirstPrmWays";
import { kindOf, type RoundKind } from "./likeRound";
import { PathRoundForm } from "./PathRoundForm";
import { PlainRoundForm } from "./PlainRoundForm";
import { useRound } from "./queries";
import { roundName } from "./roundStatus";
import classes from "./rounds.module.css";
import { StagedRoundForm } from "./StagedRoundForm";
import { bestPrm } from "./stagedForm";
import { usePrms } from "./stagedQueries";

const KINDS: { value: RoundKind; name: string; means: string }[] = [
  {
    value: "plain",
    name: "Plain",
    means: "All traces, those that match a filter, or randomly drawn ones. Labelers get them immediately.",
  },
  {
    value: "convincing",
    name: "Convincing wrong answers",
    means:
      "A process reward model (PRM) scores the traces. Labelers get those that fool it, after you have looked at them.",
  },
  {
    value: "path",
    name: "Choosing the path",
    means:
      "Starts from problems. A model offers steps, labelers rate them, and the server draws among the great ones. If none is great, the labeler writes the step.",
  },
];

/** A new round of one of three kinds. The address holds the kind, and the round to copy settings from. */
export function NewRoundPage() {
  const { slug = "" } = useParams();
  const project = useProject(slug);
  const archived = useIsArchived();
  const { filters, setFilter } = useUrlFilters(["kind", "like"] as const);
  const earlier = useRound(Number(filters.like), Number(filters.like) > 0);
  // Kept here too: the address follows a moment later, and a pressed radio button must not jump back until then.
  const [kind, setKind] = useState<RoundKind>(KINDS.find(({ value }) => value === filters.kind)?.value ?? "plain");
  // In a round of another kind, the settings mean something else.
  const like = earlier.data && kindOf(earlier.data) === kind ? earlier.data : undefined;
  const choose = (chosen: RoundKind) => {
    setKind(chosen);
    setFilter("kind", chosen === "plain" ? "" : chosen);
  };
  return (
    <>
      <PageHeading title="New round" />
      {project.isError && !project.data && (
        <ErrorState inline error={project.error} retry={() => void project.refetch()} />
      )}
      {earlier.isError && <ErrorState inline error={earlier.error} retry={() => void earlier.refetch()} />}
      {(project.isPending || earlier.isLoading) && <SkeletonLines lines={8} />}
      {archived && (
        <EmptyState inline title="You cannot open a round in this project">
          <p>The project is archived. A project admin can activate it again in its settings.</p>
        </EmptyState>
      )}
      {project.data && !archived && !earlier.isLoading && (
        <>
          {like && (
            <Notice tone="info" title={`Filled as ${roundName(like)} was`}>
              The seed is one higher, so other traces are drawn. Nothing is created until you press the button.
            </Notice>
          )}
          <div className={classes.kinds}>
            <Choices row legend="Kind of round" name="kind" choices={KINDS} value={kind} onChange={choose} />
          </div>
          {kind === "plain" && <PlainRoundForm project={project.data} like={like} />}
          {kind === "path" && <PathRoundForm project={project.data} like={like} />}
          {kind === "convincing" && (
            <ConvincingRound project={project.data} like={like} onPlain={() => choose("plain")} />
          )}
        </>
      )}
    </>
  );
}

interface ConvincingRoundProps {
  project: Project;
  like: Round | undefined;
  onPlain: () => void;
}

/** The form of a round that a PRM chooses for or, if there is no PRM yet, the ways to get one. */
function ConvincingRound({ project, like, onPlain }: ConvincingRoundProps) {
  const prms = usePrms(project.slug);
  const [anyway, setAnyway] = useState(false);
  if (prms.isPending) return <SkeletonLines lines={8} label="Loading the PRMs" />;
  if (anyway || like || !prms.data || bestPrm(prms.data) !== null)
    return <StagedRoundForm project={project} like={like} />;
  return <FirstPrmWays project={project} prms={prms.data} onPlain={onPlain} onAnyway={() => setAnyway(true)} />;
}
