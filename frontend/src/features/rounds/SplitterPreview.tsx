import { Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import type { Splitter } from "@/api/roundTypes";
import { Button } from "@/ui/Button";
import { countOf } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import { ErrorNotice } from "@/ui/Notice";
import classes from "./SplitterPreview.module.css";
import { useSplitPreview, useTracesToTry } from "./stagedQueries";

/** What the splitter makes of real text: one after another of the project's own traces, or text typed here. */
export function SplitterPreview({ slug, splitter }: { slug: string; splitter: Splitter }) {
  const traces = useTracesToTry(slug);
  const [own, setOwn] = useState("");
  const [turn, setTurn] = useState(0);
  const [asked] = useDebouncedValue({ splitter, own }, 350);
  const rows = traces.rows ?? [];
  const trace = rows.length > 0 ? rows[turn % rows.length] : undefined;
  const source = asked.own.trim() ? { text: asked.own } : trace ? { trace_id: trace.id } : null;
  const preview = useSplitPreview(slug, asked.splitter, source);
  const unsaid = splitter.kind === "custom" && splitter.pattern.trim() === "";
  const shown = unsaid || preview.error ? undefined : preview.data;
  return (
    <section className={classes.preview} aria-label="How steps would be cut" aria-busy={preview.isFetching}>
      <div className={classes.head}>
        <h3 aria-live="polite">
          {shown
            ? `${asked.own.trim() ? "Your text" : `Trace ${trace?.id ?? ""}`} becomes ${countOf(shown.steps.length, "step")}`
            : "How steps would be cut"}
        </h3>
        {rows.length > 1 && !own.trim() && <Button onClick={() => setTurn(turn + 1)}>Another trace</Button>}
      </div>
      {preview.error && !unsaid ? <ErrorNotice error={preview.error} /> : null}
      {unsaid && <p className={classes.none}>Enter above how a step begins, and the steps appear here.</p>}
      {!unsaid && !source && !preview.error && (
        <p className={classes.none}>The project has no traces yet. Type some text below to try it.</p>
      )}
      {shown && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling list must be reachable by keyboard
        <ol className={classes.steps} tabIndex={0}>
          {shown.steps.map((step, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the index is the step's identity
            <li key={index}>
              <MathText text={step} />
            </li>
          ))}
        </ol>
      )}
      <Textarea
        label="Or try it on text of your own"
        autosize
        minRows={2}
        maxRows={8}
        value={own}
        onChange={(event) => setOwn(event.currentTarget.value)}
      />
    </section>
  );
}
