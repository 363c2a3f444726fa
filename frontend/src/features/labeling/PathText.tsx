import { splitAnswer } from "@/protocol/choose_step/words";
import { MathText } from "@/ui/math/MathText";
import classes from "./Path.module.css";
import { answerText } from "./ProblemPane";

/** A step of a path; the final answer that it gives stands on a line of its own. */
export function PathText({ text, raw }: { text: string; raw: boolean }) {
  const { said, answer } = splitAnswer(text);
  if (raw || answer === "") return <MathText text={text} raw={raw} />;
  return (
    <>
      {said !== "" && <MathText text={said} />}
      <div className={classes.answer}>
        final answer
        <div className="read">
          <MathText text={answerText(answer)} />
        </div>
      </div>
    </>
  );
}
