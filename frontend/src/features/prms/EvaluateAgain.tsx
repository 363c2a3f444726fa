import { useNavigate } from "react-router";
import type { Evaluation } from "@/api/trainingTypes";
import { Button } from "@/ui/Button";
import { ErrorNotice } from "@/ui/Notice";
import { useCreateEvaluation } from "./queries";

interface EvaluateAgainProps {
  slug: string;
  evaluation: Evaluation;
  /** The threshold to judge by. */
  at: number;
  children: string;
}

/** Measure the same PRM on the same set once more, and go to that evaluation's page. */
export function EvaluateAgain({ slug, evaluation, at, children }: EvaluateAgainProps) {
  const navigate = useNavigate();
  const create = useCreateEvaluation(slug);
  const again = () =>
    create.mutate(
      {
        prm: evaluation.prm.id,
        evaluation_set: evaluation.evaluation_set.id,
        threshold: Math.min(0.99, Math.max(0.01, at)),
        best_of: evaluation.best_of,
      },
      { onSuccess: (made) => void navigate(`/projects/${slug}/evaluations/${made.id}`) },
    );
  return (
    <>
      <div style={{ marginTop: 10 }}>
        <Button disabled={create.isPending} onClick={again}>
          {create.isPending ? "Starting…" : children}
        </Button>
      </div>
      <ErrorNotice error={create.error} />
    </>
  );
}
