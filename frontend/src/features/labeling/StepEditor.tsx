import { useEffect, useId, useRef } from "react";
import type { StepAction, StepContent } from "@/protocol/choose_step/stepDraft";
import { MathText } from "@/ui/math/MathText";
import { answerText } from "@/ui/trace/pathWords";
import { writeOn } from "@/ui/writeOn";
import classes from "./Path.module.css";

interface StepEditorProps {
  content: StepContent;
  /** The index the step would have in the path, from 0. */
  step: number;
  /** Changes when the labeler asks to write, which moves the keyboard focus to the text. */
  asked: number;
  /** Why the server refused the step; empty if it did not. */
  refusal: string;
  /** A completion is rated great, so the written step is not used. */
  unused: boolean;
  disabled: boolean;
  /** The completion in hand, to start from; empty if there is none. */
  begin: string;
  submitKey: string;
  writeKey: string;
  dispatch: (action: StepAction) => void;
  onHold: (held: boolean) => void;
  /** The labeler is writing: the editor stays open, even while it is empty. */
  onEnter: () => void;
  onLeave: () => void;
}

/** The labeler's own step, with a preview below it. */
export function StepEditor({
  content,
  step,
  asked,
  refusal,
  unused,
  disabled,
  begin,
  submitKey,
  writeKey,
  onHold,
  ...props
}: StepEditorProps) {
  const text = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => {
    if (asked === 0) return;
    const editor = text.current?.closest("section");
    if (!editor?.contains(document.activeElement)) writeOn(text.current, { preventScroll: true });
    editor?.scrollIntoView({ block: "nearest" });
  }, [asked]);
  useEffect(() => () => onHold(false), [onHold]); // a field removed while it has the focus fires no blur event
  // Keep the text and its preview in sight as they grow.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text
  useEffect(() => {
    const editor = text.current?.closest("section");
    if (editor?.contains(document.activeElement)) editor.scrollIntoView({ block: "nearest" });
  }, [content.text, content.answer, refusal]);
  const write = (field: "text" | "answer") => (event: { currentTarget: { value: string } }) =>
    props.dispatch({ type: "write", field, value: event.currentTarget.value });
  return (
    <section
      className={classes.editor}
      aria-label="Your step"
      data-own-step
      onFocus={() => {
        onHold(true);
        props.onEnter();
      }}
      onBlur={() => onHold(false)}
      onKeyDown={(event) => {
        if (event.key === "Escape") props.onLeave();
      }}
    >
      <label htmlFor={`${id}-text`}>Your step {step + 1}</label>
      <textarea
        ref={text}
        id={`${id}-text`}
        rows={1}
        value={content.text}
        maxLength={20_000}
        readOnly={disabled}
        spellCheck={false}
        aria-invalid={refusal !== ""}
        aria-describedby={refusal === "" ? `${id}-hint` : `${id}-refusal ${id}-hint`}
        onChange={write("text")}
        onKeyDown={(event) => {
          if (event.key !== "ArrowUp" || content.text !== "" || begin === "") return;
          event.preventDefault();
          props.dispatch({ type: "write", field: "text", value: begin });
        }}
      />
      {refusal !== "" && (
        <p className={classes.refusal} id={`${id}-refusal`} role="alert">
          {refusal}
        </p>
      )}
      <span className={classes.label}>as it will read</span>
      <div className={`${classes.preview} read`}>{content.text.trim() !== "" && <MathText text={content.text} />}</div>
      <label htmlFor={`${id}-answer`}>Final answer</label>
      <div>
        <input
          id={`${id}-answer`}
          value={content.answer}
          maxLength={1_000}
          readOnly={disabled}
          spellCheck={false}
          placeholder="only if this step ends the path"
          onChange={write("answer")}
        />
        {content.answer.trim() !== "" && (
          <div className="read">
            <MathText text={answerText(content.answer.trim())} />
          </div>
        )}
      </div>
      <p className={classes.hint} id={`${id}-hint`} style={{ margin: 0 }}>
        {unused ? (
          <span>A completion is great, so this is not used. It is kept while the step is open.</span>
        ) : (
          <>
            <span className={classes.whenAway}>
              <kbd>{writeKey}</kbd> to write
            </span>
            {begin !== "" && content.text === "" && (
              <span className={classes.whenHere}>
                <kbd>↑</kbd> start from the completion in focus
              </span>
            )}
            <span className={classes.whenHere}>
              <kbd>Ctrl {submitKey}</kbd> it enters the path as yours
            </span>
            <span className={classes.whenHere}>
              <kbd>Esc</kbd> back to the ratings
            </span>
          </>
        )}
      </p>
    </section>
  );
}
