import { useNavigate } from "react-router";
import type { Evaluation } from "@/api/trainingTypes";
import { Button } from "@/ui/Button";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { neverWrong, thresholdWords } from "./comparison";
import { useCreateEvaluation } from "./queries";

/** Said of a PRM that judges nothing wrong, with a way to measure it at a threshold that serves it; else nothing. */
export function NeverWrong({ slug, evaluation }: { slug: string; evaluation: Evaluation }) {
  const navigate = useNavigate();
  const create = useCreateEvaluation(slug);
  if (!neverWrong(evaluation)) return null;
  const { threshold, advised_threshold: advised, prm, evaluation_set, best_of } = evaluation;
  const again = (at: number) =>
    create.mutate(
      { prm: prm.id, evaluation_set: evaluation_set.id, threshold: Math.min(0.99, Math.max(0.01, at)), best_of },
      { onSuccess: (made) => void navigate(`/projects/${slug}/evaluations/${made.id}`) },
    );
  return (
    <Notice tone="bad" title={`${prm.name} never says “wrong”`}>
      {thresholdWords(threshold, advised)}
      {advised !== null && Math.abs(advised - threshold) > 0.005 && (
        <div style={{ marginTop: 10 }}>
          <Button disabled={create.isPending} onClick={() => again(advised)}>
            {create.isPending ? "Starting…" : `Evaluate it at ${advised.toFixed(2)}`}
          </Button>
        </div>
      )}
      <ErrorNotice error={create.error} />
    </Notice>
  );
}
