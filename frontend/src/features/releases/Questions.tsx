import { Textarea } from "@mantine/core";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { useKeptForm } from "@/api/keptForm";
import type { Release, ReleaseQuestion } from "@/api/releaseTypes";
import { Button } from "@/ui/Button";
import { Form, FormButtons, SelectField, TextField } from "@/ui/Form";
import { ErrorNotice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { useAnswerRelease } from "./queries";
import classes from "./releases.module.css";
import { PARTS } from "./releaseWords";

/** Questions only people can answer. What is typed is kept, whatever the server says, and if the page is left. */
export function Questions({ release }: { release: Release }) {
  const answering = useAnswerRelease(release.id);
  const kept = useKeptForm(`release:${release.id}:answers`, () => ({ typed: {} as Record<string, string> }));
  const typed = unsaid(kept.form.typed, release.questions);
  const answerOf = ({ name, answer }: ReleaseQuestion) => typed[name] ?? answer;
  const set = (name: string, said: string) => kept.set((before) => ({ typed: { ...before.typed, [name]: said } }));
  const blank = release.questions.filter((one) => answerOf(one).trim() === "");
  const save = (answers: Record<string, string>) =>
    kept.sent(answering.mutateAsync(answers), () =>
      kept.set((now) => ({
        typed: Object.fromEntries(Object.entries(now.typed).filter(([name, said]) => answers[name] !== said)),
      })),
    );
  const rest = () =>
    save({ ...typed, ...Object.fromEntries(blank.map(({ name }): [string, string] => [name, "unknown"])) });
  const names = release.questions.map(({ name }) => name);
  return (
    <Panel title="For the card" id="questions" note="Stepmark fills in what it knows. You answer the rest.">
      <Form onSubmit={() => save(typed)} label="For the card" left={kept}>
        <ErrorNotice error={otherFault(answering.error, names)} />
        {PARTS.map(({ part, title, note }) => (
          <fieldset key={part} className={classes.questions} style={{ border: 0, padding: 0, margin: 0 }}>
            <legend className={classes.part}>{title}</legend>
            <p className={classes.quiet}>{note}</p>
            {release.questions
              .filter((one) => one.part === part)
              .map((one) => (
                <Question
                  key={one.name}
                  question={one}
                  answer={answerOf(one)}
                  error={fieldFault(answering.error, one.name)}
                  set={(said) => set(one.name, said)}
                />
              ))}
          </fieldset>
        ))}
        <FormButtons>
          <Button kind="primary" type="submit" disabled={answering.isPending || Object.keys(typed).length === 0}>
            {answering.isPending ? "Saving…" : "Save answers"}
          </Button>
          {blank.length > 0 && (
            <Button onClick={rest} disabled={answering.isPending}>
              {`Answer “unknown” to the other ${blank.length}`}
            </Button>
          )}
        </FormButtons>
      </Form>
    </Panel>
  );
}

/** Return the typed answers (perhaps old) that differ from the stored ones and whose question is still asked. */
function unsaid(typed: Record<string, string>, questions: ReleaseQuestion[]): Record<string, string> {
  const asked = questions.filter(({ name, answer }) => typeof typed[name] === "string" && typed[name] !== answer);
  return Object.fromEntries(asked.map(({ name }): [string, string] => [name, typed[name] ?? ""]));
}

interface QuestionProps {
  question: ReleaseQuestion;
  answer: string;
  error: string | undefined;
  set: (said: string) => void;
}

function Question({ question, answer, error, set }: QuestionProps) {
  const { title, note, choices, long } = question;
  const about = { label: title, note, value: answer, error, onChange: set };
  if (choices.length > 0) {
    const all = ["", ...choices, "unknown"].map((value) => ({ value, label: value || "not answered" }));
    return <SelectField {...about} choices={all} />;
  }
  if (!long) return <TextField {...about} maxLength={10_000} />;
  return (
    <Textarea
      label={title}
      description={note}
      autosize
      minRows={2}
      maxLength={10_000}
      value={answer}
      error={error}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}
