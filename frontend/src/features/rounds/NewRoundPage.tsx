import { useState } from "react";
import { useParams } from "react-router";
import { useProject } from "@/api/projects";
import type { Project } from "@/api/projectTypes";
import { Choices } from "@/ui/Form";
import { PageHeading } from "@/ui/PageShell";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { useUrlFilters } from "@/ui/useUrlFilters";
import { FirstPrmWays } from "./FirstPrmWays";
import { PathRoundForm } from "./PathRoundForm";
import { PlainRoundForm } from "./PlainRoundForm";
import classes from "./rounds.module.css";
import { StagedRoundForm } from "./StagedRoundForm";
import { bestPrm } from "./stagedForm";
import { usePrms } from "./stagedQueries";

type Kind = "plain" | "convincing" | "path";

const KINDS: { value: Kind; name: string; means: string }[] = [
  {
    value: "plain",
    name: "Plain",
    means: "All traces, those that fit a filter, or some drawn by chance. Labelers get them at once.",
  },
  {
    value: "convincing",
    name: "Convincing wrong answers",
    means:
      "A process reward model (PRM) scores the traces; those it is fooled by go to labelers. You look before they do.",
  },
  {
    value: "path",
    name: "Choosing the path",
    means: "From problems: a model offers steps, labelers rate them and write where none is great, the server draws.",
  },
];

/** A new round, of one of three kinds; the kind stands in the address. */
export function NewRoundPage() {
  const { slug = "" } = useParams();
  const project = useProject(slug);
  const { filters, setFilter } = useUrlFilters(["kind"] as const);
  // Kept here too: the address follows a moment later, and a pressed radio must not spring back until then.
  const [kind, setKind] = useState<Kind>(KINDS.find(({ value }) => value === filters.kind)?.value ?? "plain");
  const choose = (chosen: Kind) => {
    setKind(chosen);
    setFilter("kind", chosen === "plain" ? "" : chosen);
  };
  return (
    <>
      <PageHeading title="New round" />
      {project.isError && !project.data && (
        <ErrorState inline error={project.error} retry={() => void project.refetch()} />
      )}
      {project.isPending && <SkeletonLines lines={8} />}
      {project.data && (
        <>
          <div className={classes.kinds}>
            <Choices row legend="Kind of round" name="kind" choices={KINDS} value={kind} onChange={choose} />
          </div>
          {kind === "plain" && <PlainRoundForm project={project.data} />}
          {kind === "path" && <PathRoundForm project={project.data} />}
          {kind === "convincing" && <ConvincingRound project={project.data} onPlain={() => choose("plain")} />}
        </>
      )}
    </>
  );
}

/** The form of a round that a PRM carries; before there is one, the ways to it. */
function ConvincingRound({ project, onPlain }: { project: Project; onPlain: () => void }) {
  const prms = usePrms(project.slug);
  const [anyway, setAnyway] = useState(false);
  if (prms.isPending) return <SkeletonLines lines={8} label="Loading the PRMs" />;
  if (anyway || !prms.data || bestPrm(prms.data) !== null) return <StagedRoundForm project={project} />;
  return <FirstPrmWays project={project} prms={prms.data} onPlain={onPlain} onAnyway={() => setAnyway(true)} />;
}
