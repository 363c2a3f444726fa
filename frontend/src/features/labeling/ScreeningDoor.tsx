import { useQuery } from "@tanstack/react-query";
import { useMemo, useReducer, useState } from "react";
import { Link } from "react-router";
import { useProject } from "@/api/projects";
import type { Screening } from "@/api/qualityTypes";
import { useSavePreferences, useUser } from "@/api/session";
import type { Rating } from "@/api/types";
import { commands, type Workbench } from "@/protocol/commands";
import { draftReducer, emptyContent, newDraft } from "@/protocol/draft";
import { type Command, type KeyChoices, keysOf, NO_CHOICES, useCommandKeys } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import { errorStep, isRatable } from "@/protocol/ratings";
import { protocolNamed } from "@/protocol/registry";
import { Button } from "@/ui/Button";
import { ColorSchemeToggle } from "@/ui/ColorSchemeToggle";
import { Dialog } from "@/ui/Dialog";
import { MathText } from "@/ui/math/MathText";
import { usePageTitle } from "@/ui/PageShell";
import { ErrorState } from "@/ui/states";
import { GuidelinesPanel } from "./GuidelinesPanel";
import { HelpSheet } from "./HelpSheet";
import { LoadingDesk } from "./LoadingDesk";
import layout from "./layout.module.css";
import { guidelineQuery, myQualityQuery } from "./queries";
import { RatingButtons } from "./RatingButtons";
import classes from "./ScreeningDoor.module.css";
import { EXAMPLE } from "./workedExample";

const TRIED = [
  "rate_plus",
  "rate_zero",
  "rate_minus",
  "good_up_to_here",
  "clear_rating",
  "undo",
  "next_step",
  "previous_step",
];
const WORDS_A_MINUTE = 200;

/** Before the first screening task: what it is, and a trace to try the keys on. Nothing counts until you begin. */
export function ScreeningDoor({ slug, beginning, onBegin }: { slug: string; beginning: boolean; onBegin: () => void }) {
  usePageTitle("Screening");
  const quality = useQuery(myQualityQuery(slug));
  const project = useProject(slug);
  const user = useUser();
  const { save } = useSavePreferences();
  const choices: KeyChoices = user.preferences.keys ?? NO_CHOICES;
  const [panel, setPanel] = useState<"guidelines" | "help" | null>(null);
  const [draft, dispatch] = useReducer(
    draftReducer,
    newDraft(protocolNamed("first_error"), emptyContent(EXAMPLE.steps.length)),
  );
  const list = useMemo(() => doorCommands(onBegin, setPanel), [onBegin]);
  useCommandKeys(panel === null ? list : [], choices, { draft, dispatch, canUndoSubmission: false } as Workbench);
  if (quality.isPending) return <LoadingDesk />;
  const screening = quality.data?.screening;
  if (!screening) return <ErrorState error={quality.error} retry={() => void quality.refetch()} />;
  const key = (name: string) => {
    const command = list.find((one) => one.name === name);
    return <kbd>{command && showKey(keysOf(command, choices)[0] ?? "")}</kbd>;
  };
  return (
    <div className={layout.page}>
      <header className={layout.header}>
        <Link className={layout.brand} to="/projects" title="All projects">
          Stepmark
        </Link>
        <span className={layout.where}>{project.data ? `${project.data.name} · screening` : "Screening"}</span>
        <span className={layout.right}>
          <ColorSchemeToggle />
        </span>
      </header>
      <main className={classes.door}>
        <section>
          <h1>Before the first task: a screening</h1>
          <p className={`${classes.lead} read`}>
            {screening.of === 1 ? "One solution" : `${screening.of} solutions`} with a known first error. Rate them like
            any other
            {screening.feedback ? ". After each one you see the correct ratings, and why." : "."}
          </p>
          <Rules screening={screening} />
          <div className={classes.actions}>
            <Button kind="primary" disabled={beginning} onClick={onBegin}>
              {beginning ? "Fetching the first task…" : `Begin, task 1 of ${screening.of}`} {key("submit")}
            </Button>
            <Button onClick={() => setPanel("guidelines")}>
              Guidelines
              <ReadingTime slug={slug} /> {key("guidelines")}
            </Button>
            <span className={classes.byKeys}>
              <Button onClick={() => setPanel("help")}>Keys {key("help")}</Button>
            </span>
          </div>
        </section>
        <Example draft={draft} dispatch={dispatch} choices={choices} />
      </main>
      <footer className={classes.footer}>You can leave now: no try is used until you begin.</footer>
      {panel === "guidelines" && (
        <Dialog title="Guidelines" onClose={() => setPanel(null)}>
          <GuidelinesPanel slug={slug} />
        </Dialog>
      )}
      {panel === "help" && (
        <Dialog title="Keys" onClose={() => setPanel(null)}>
          <HelpSheet
            protocol={draft.protocol}
            choices={choices}
            onChange={(keys) => save((now) => ({ ...now, keys: { ...keys } }))}
          />
        </Dialog>
      )}
    </div>
  );
}

/** Return the page's own commands that make sense here. The command that submits begins the screening instead. */
function doorCommands(onBegin: () => void, open: (panel: "guidelines" | "help") => void): Command<Workbench>[] {
  const instead: Record<string, () => void> = {
    submit: onBegin,
    guidelines: () => open("guidelines"),
    help: () => open("help"),
  };
  return commands.flatMap((command) => {
    const run = instead[command.name];
    if (run) return [{ ...command, run }];
    return TRIED.includes(command.name) ? [command] : [];
  });
}

function Rules({ screening: { needed, of, attempts_left, feedback } }: { screening: Screening }) {
  const more = attempts_left;
  return (
    <dl className={classes.rules}>
      <dt>Passes</dt>
      <dd>
        <b>
          {needed} of {of}
        </b>{" "}
        accepted. A task is accepted if you find its first error, or see that there is none.
      </dd>
      <dt>Tries</dt>
      <dd>
        <b>{more + 1 === 1 ? "One." : more + 1 === 2 ? "Two." : `${more + 1}.`}</b>{" "}
        {more > 0 ? "The next try has other solutions, if the project has enough." : "After that, ask a project admin."}
      </dd>
      <dt>Counts for</dt>
      <dd>Admission only. It is not real work and does not count in your figures.</dd>
      <dt>Takes</dt>
      <dd>As long as you like; there is no time limit. You can continue another day.</dd>
      <dt>Give up</dt>
      <dd>Not accepted here, nor is “bad problem”. In real work both are valid.</dd>
      {!feedback && (
        <>
          <dt>Feedback</dt>
          <dd>You learn only at the end whether you passed.</dd>
        </>
      )}
    </dl>
  );
}

function ReadingTime({ slug }: { slug: string }) {
  const guideline = useQuery(guidelineQuery(slug)).data;
  const words = guideline?.body.match(/\S+/g)?.length ?? 0;
  return words > 0 ? <>, {Math.max(1, Math.round(words / WORDS_A_MINUTE))} min</> : null;
}

interface ExampleProps {
  draft: Workbench["draft"];
  dispatch: Workbench["dispatch"];
  choices: KeyChoices;
}

function Example({ draft, dispatch, choices }: ExampleProps) {
  const { protocol, content, focus } = draft;
  const error = errorStep(protocol, content.ratings);
  const key = (name: string) => {
    const command = commands.find((one) => one.name === name);
    return <kbd>{command && showKey(keysOf(command, choices)[0] ?? "")}</kbd>;
  };
  return (
    <section className={classes.example} aria-label="A worked example">
      <h2>A worked example</h2>
      <p className={classes.quiet}>Try it as often as you like; nothing is saved.</p>
      <p className={classes.keys}>
        {key("rate_plus")} +1 {key("rate_zero")} neutral {key("rate_minus")} −1 {key("undo")} undo
      </p>
      <div className={`${classes.problem} read`}>
        <MathText text={EXAMPLE.problem} />
      </div>
      <ol>
        {EXAMPLE.steps.map((step, index) => {
          const rating = content.ratings[index] ?? null;
          const ratable = isRatable(protocol, content.ratings, index);
          return (
            <li
              key={step.text}
              className={classes.step}
              data-focused={focus === index || undefined}
              data-error={error === index || undefined}
              data-off={!ratable || undefined}
              aria-current={focus === index ? "step" : undefined}
            >
              <span className={classes.number}>{index + 1}</span>
              <RatingButtons
                className={classes.rating}
                label={`Rating of step ${index + 1} of the example`}
                rating={rating}
                reachable
                disabled={!ratable}
                onRate={(value: Rating) => dispatch({ type: "rate", step: index, rating: value })}
              />
              <div>
                <div className="read">
                  <MathText text={step.text} />
                </div>
                <div className={classes.why} role="status">
                  {!ratable ? (
                    `Comes after the first error, step ${error + 1}; stays unlabelled.`
                  ) : rating === null ? null : (
                    <MathText text={rating === step.expected ? step.because : step.rather} />
                  )}
                </div>
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
