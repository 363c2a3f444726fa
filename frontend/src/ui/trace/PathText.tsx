import { MathText } from "@/ui/math/MathText";
import classes from "./PathView.module.css";
import { answerText, splitAnswer } from "./pathWords";

/** A step of a path; a final answer gets its own line. */
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
