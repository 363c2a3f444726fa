import { commandNamed } from "@/protocol/commands";
import { type KeyChoices, keysOf } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import { MathText } from "@/ui/math/MathText";
import { traceWords } from "./symbolTrace";
import classes from "./TraceLine.module.css";
import type { SymbolTracing } from "./useSymbolTrace";

interface TraceLineProps {
  tracing: SymbolTracing;
  choices: KeyChoices;
  /** The number of steps of a path; the completions after them are marked too. */
  pathLength?: number;
  onNext: () => void;
}

/** Which symbol is followed, where it occurs, and the keys for it. It covers nothing: it ends the problem's column. */
export function TraceLine({ tracing, choices, pathLength, onNext }: TraceLineProps) {
  const { trace, go, end } = tracing;
  const key = (name: string) => <kbd>{showKey(keysOf(commandNamed(name), choices)[0] ?? "")}</kbd>;
  return (
    <div className={trace ? classes.line : undefined}>
      <div role="status" className={classes.words}>
        {trace && (
          <>
            Tracing{" "}
            <span className={classes.symbol}>
              <MathText text={trace.tex === null ? trace.key : `$${trace.tex}$`} />
            </span>
            : {traceWords(trace, pathLength)}
          </>
        )}
      </div>
      {trace && (
        <div className={classes.keys}>
          <button type="button" onClick={() => go(-1)}>
            {key("trace_back")} back
          </button>
          <button type="button" onClick={() => go(1)}>
            {key("trace_on")} on
          </button>
          <button type="button" onClick={onNext}>
            {key("trace_symbol")} another symbol
          </button>
          <button type="button" onClick={end}>
            <kbd>Esc</kbd> off
          </button>
        </div>
      )}
    </div>
  );
}
