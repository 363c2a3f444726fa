import type { Rating } from "@/api/types";

interface ExampleStep {
  text: string;
  /** The rating that follows the guidelines. */
  expected: Rating | null;
  /** Shown once the step is rated as expected. */
  because: string;
  /** Shown after any other rating. */
  rather: string;
}

/** A short trace to try the keys on before the screening. */
export const EXAMPLE: { problem: string; steps: readonly ExampleStep[] } = {
  problem: "A train leaves at 14:35 and travels for 95 minutes. When does it arrive?",
  steps: [
    {
      text: "95 minutes are $60 + 35$ minutes: 1 hour and 35 minutes.",
      expected: 1,
      because: "Right, and it makes progress: +1.",
      rather: "It is right and makes progress: this is a +1.",
    },
    {
      text: "So the train travels for more than an hour.",
      expected: 0,
      because: "Right, but no progress: 0.",
      rather: "It is right but makes no progress: this is a 0. A −1 is for errors.",
    },
    {
      text: "An hour after 14:35 it is 15:35. As $35 + 35 = 60$, it arrives at 16:00.",
      expected: -1,
      because: "$35 + 35 = 70$, so this is the first error. Rating stops here.",
      rather: "Add again: $35 + 35 = 70$. This is the first error: a −1.",
    },
    {
      text: "The answer is $\\boxed{16{:}00}$.",
      expected: null,
      because: "",
      rather: "It follows from the step before, so it is not rated. The error is earlier.",
    },
  ],
};
