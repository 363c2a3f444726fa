import type { Evaluation } from "@/api/trainingTypes";
import { Notice } from "@/ui/Notice";
import { neverWrong, thresholdWords } from "./comparison";
import { EvaluateAgain } from "./EvaluateAgain";

/**
 * For a PRM that judges nothing wrong: says so, and offers a threshold that works to measure it at. Otherwise nothing.
 */
export function NeverWrong({ slug, evaluation }: { slug: string; evaluation: Evaluation }) {
  if (!neverWrong(evaluation)) return null;
  const { threshold, advised_threshold: advised, prm } = evaluation;
  return (
    <Notice tone="bad" title={`${prm.name} never says “wrong”`}>
      {thresholdWords(threshold, advised)}
      {advised !== null && Math.abs(advised - threshold) > 0.005 && (
        <EvaluateAgain slug={slug} evaluation={evaluation} at={advised}>
          {`Evaluate it at ${advised.toFixed(2)}`}
        </EvaluateAgain>
      )}
    </Notice>
  );
}
