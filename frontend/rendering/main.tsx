/**
 * Many desks below each other, without a server: what `python -m bench.rendering` opens and looks at. The components are
 * the labeling page's own.
 */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import type { Label } from "@/api/types";
import type { LabelSession, SessionState } from "@/features/labeling/labelSession";
import classes from "@/features/labeling/layout.module.css";
import { ProblemPane } from "@/features/labeling/ProblemPane";
import { type StepDesk, StepList } from "@/features/labeling/StepList";
import { emptyContent, newDraft } from "@/protocol/draft";
import { NO_CHOICES } from "@/protocol/keyMap";
import { protocolNamed } from "@/protocol/registry";
import { type Finding, lookAtDesk } from "./look";
import "@/ui/fonts.css";
import "@mantine/core/styles/baseline.layer.css";
import "@mantine/core/styles/default-css-variables.layer.css";
import "@mantine/core/styles/global.layer.css";
import "@/ui/theme.css";

export interface Trace {
  problem: string;
  answer: string | null;
  steps: string[];
}

const nothing = () => undefined;
/** The steps ask it for a machine's marks; no task here shows any. */
const asked = new QueryClient();

/** Nothing is open on it, and nothing can be done. */
const DESK: StepDesk = {
  ...{ closed: [], cursor: null, hit: null, inline: null, laterOpen: false, raw: false },
  ...{ closeInline: nothing, finishRealising: nothing },
  bench: { dispatch: nothing, open: nothing, toggleLater: nothing },
};

/** A minute on every step, so that each clock is there to be in the way. */
function fakeSession(steps: readonly string[]): LabelSession {
  const perStep = steps.map(() => 72_000);
  return { activeTime: () => ({ total: 0, per_step: perStep }), dispatch: nothing } as unknown as LabelSession;
}

function stateOf({ steps }: Trace): SessionState {
  const draft = newDraft(protocolNamed("first_error"), emptyContent(steps.length), -1);
  return { draft, save: "saved", saveDetail: "", lease: "held", leaseDetail: "", conflict: null };
}

function labelOf({ problem, answer, steps }: Trace): Label {
  const shown = { text: problem, answer, accepted_answers: [], subject: "", level: null };
  return { problem: shown, steps, alternatives: [], carried: [], earlier_labels: 0 } as unknown as Label;
}

function Desk({ trace }: { trace: Trace }) {
  const [label, state, session] = [labelOf(trace), stateOf(trace), fakeSession(trace.steps)];
  return (
    <main className={classes.work} data-desk>
      <ProblemPane
        label={label}
        content={state.draft.content}
        raw={false}
        reference={null}
        choices={NO_CHOICES}
        onRun={nothing}
        onEnter={nothing}
        onLeave={nothing}
      />
      <StepList label={label} session={session} state={state} desk={DESK} card={null} choices={NO_CHOICES} clock />
    </main>
  );
}

const root = createRoot(document.getElementById("root") as HTMLElement);

/** Two frames: what is measured after layout has been drawn, and what that moved has been measured again. */
function frames(count: number): Promise<void> {
  return new Promise((done) => {
    const next = (left: number) => (left === 0 ? done() : requestAnimationFrame(() => next(left - 1)));
    next(count);
  });
}

const rendering = {
  /** Put these traces on the page in place of what is there. */
  async show(traces: readonly Trace[]): Promise<void> {
    flushSync(() => root.render(null));
    const desks = traces.map((trace, index) => <Desk key={index.toString()} trace={trace} />);
    flushSync(() => root.render(<QueryClientProvider client={asked}>{desks}</QueryClientProvider>));
    await document.fonts.ready;
    await frames(2);
  },
  /** What is wrong with each desk at the width the window has now. */
  async look(): Promise<Finding[][]> {
    await frames(3);
    return [...document.querySelectorAll<HTMLElement>("[data-desk]")].map(lookAtDesk);
  },
};

declare global {
  interface Window {
    rendering: typeof rendering;
  }
}
window.rendering = rendering;
