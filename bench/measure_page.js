// Runs in the labeling page before its own code. Times are milliseconds on the page's clock.
window.bench = {
  interactive: [],
  keys: [],
  submissions: [],
  waiting: [],
  // Resolves when `count` times of this kind are there. (The page's policy forbids to poll with a written condition.)
  until(kind, count) {
    return new Promise((resolve) => {
      this.waiting.push(() => this[kind].length >= count && resolve(this[kind].length));
      this.waiting.at(-1)();
    });
  },
  note(kind, milliseconds) {
    this[kind].push(milliseconds);
    for (const look of this.waiting) look();
  },
};

// Calls `done` when the frame that is drawn next has been drawn.
const afterPaint = (done) =>
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => done(performance.now());
    port2.postMessage(null);
  });

const stepsShown = () => [...document.querySelectorAll("li[data-step]")].map((row) => row.textContent).join("\n");
const firstStepHasFocus = () => document.activeElement?.getAttribute("data-step") === "0";

const whenReady = (ready, done) => {
  const look = () => (ready() ? afterPaint(done) : requestAnimationFrame(look));
  look();
};

addEventListener("DOMContentLoaded", () => whenReady(firstStepHasFocus, (now) => bench.note("interactive", now)));

addEventListener(
  "keydown",
  (event) => {
    const pressed = event.timeStamp;
    if (event.key !== "Enter") return afterPaint((now) => bench.note("keys", now - pressed));
    const before = stepsShown();
    const nextIsThere = () => firstStepHasFocus() && stepsShown() !== before;
    whenReady(nextIsThere, (now) => bench.note("submissions", now - pressed));
  },
  { capture: true },
);
