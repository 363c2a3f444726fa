/** Complete histories, replayed by the page's own rules against a server that only stores what it receives. */

import cases from "@cases/choose_step_cases.json";
import { expect, test } from "vitest";
import type { CompletionRating, OpenStep, Rated } from "@/api/pathTypes";
import type { FinishReason, Rating } from "@/api/types";
import { among, lacks, ratingsOf, stepToSend, wantsRest } from "./path";
import { CHOOSE_STEP } from "./rules";
import { newStepDraft, type StepAction, type StepDraft, saidAtServer, stepReducer } from "./stepDraft";

interface Row {
  completions: { text: string; rating: Rating | null; flagged: boolean }[] | null;
  human_completion: { text: string; rating: null; source: string; flagged: boolean } | null;
  chosen_completion: number | null;
}
interface Move {
  do: "offer" | "rest" | "step" | "undo" | "submit";
  texts?: string[];
  rating?: Rating | null;
  ratings?: (Rating | null)[];
  human?: string | null;
  final_answer?: string | null;
  draws?: number | null;
  reason?: FinishReason;
  refused?: string;
}
interface Case {
  name: string;
  neutral_may_be_chosen: boolean;
  given: string[];
  moves: Move[];
  row: Row[];
}

/** Refusals that the page can never cause, and those that it leaves to the server. */
const NEVER_SENT = new Set(["human_not_wanted", "rest_not_wanted", "nothing_to_undo", "no_final_answer"]);
const TOLD_BY_SERVER = new Set(["repeats_step"]);

interface Offer {
  texts: string[];
  rest: boolean;
  said: readonly CompletionRating[];
}
type Taken = Offer & { row: Row };

/** Stores what it receives, and returns the open step as the real server does. */
class KeepingServer {
  offer: Offer = NOTHING;
  readonly steps: Taken[] = [];

  get shown(): Rated[] {
    const { texts, rest, said } = this.offer;
    const places = new Map<string, number[]>();
    for (const [place, text] of (rest ? texts : texts.slice(0, 1)).entries()) {
      places.set(spelling(text), [...(places.get(spelling(text)) ?? []), place]);
    }
    return [...places.values()].map((found) => {
      const number = found[0] ?? 0;
      const known = said.find((one) => one.number === number);
      const about = { rating: known?.rating ?? null, flagged: known?.flagged ?? false };
      return { number, text: texts[number] ?? "", count: found.length, final: false, ...about };
    });
  }

  get open(): OpenStep {
    const state = this.offer.rest || new Set(this.offer.texts.map(spelling)).size < 2 ? "all" : "first";
    const step = this.steps.length;
    const more = { more: 0, may_ask_more: false };
    return {
      step,
      state,
      completions: this.shown,
      may_write: state === "all",
      ...more,
      trouble: null,
      look_again_ms: null,
    };
  }

  rowOf(sent: { ratings: readonly CompletionRating[]; human?: string | null }, drawn: number | null): Row {
    const { texts, rest } = this.offer;
    const said = new Map(sent.ratings.map(({ number, rating, flagged }) => [number, { rating, flagged }]));
    const first = (text: string) => texts.findIndex((one) => spelling(one) === spelling(text));
    const completions = (rest ? texts : texts.slice(0, 1)).map((text) => ({
      text,
      ...(said.get(first(text)) ?? { rating: null, flagged: false }),
    }));
    const human = sent.human ? { text: sent.human, rating: null, source: "human", flagged: false } : null;
    return {
      completions: completions.length > 0 ? completions : null,
      human_completion: human,
      chosen_completion: drawn,
    };
  }
}

const NOTHING: Offer = { texts: [], rest: false, said: [] };

function spelling(text: string): string {
  return text.replaceAll("$", "").replace(/\s+/g, " ").trim();
}

function givenRow(text: string): Row {
  return { completions: [{ text, rating: null, flagged: false }], human_completion: null, chosen_completion: 0 };
}

/** The page: a draft of the open step, changed only by its reducer. */
class Page {
  draft: StepDraft = newStepDraft();

  constructor(
    readonly server: KeepingServer,
    readonly rules: Case,
  ) {}

  act(action: StepAction): void {
    this.draft = stepReducer(this.draft, action);
  }

  say(ratings: readonly (Rating | null)[]): void {
    for (const [row, { number }] of this.server.shown.slice(0, ratings.length).entries()) {
      const rating = ratings[row] ?? null;
      this.act({ type: "clear", number });
      this.act(rating === null ? { type: "unsure", number } : { type: "rate", row, number, rating });
    }
  }

  play(move: Move): void {
    const { server } = this;
    if (move.do === "offer") server.offer = { ...NOTHING, texts: move.texts ?? [] };
    else if (move.do === "rest") this.showRest(move);
    else if (move.do === "step") this.step(move);
    else if (move.do === "submit") this.submit(move);
    else if (move.refused === undefined) {
      server.offer = server.steps.pop() ?? NOTHING;
      this.draft = newStepDraft({ said: saidAtServer(server.open), text: "", answer: "" });
    }
  }

  showRest({ rating = null, refused }: Move): void {
    const several = this.server.open.state === "first";
    this.say([rating]);
    expect(wantsRest(this.server.open, this.draft.content)).toBe(several && rating !== 1);
    if (refused === undefined) this.server.offer = { ...this.server.offer, rest: true };
  }

  step(move: Move): void {
    const { server, rules } = this;
    this.say(move.ratings ?? []);
    this.act({ type: "write", field: "text", value: move.human ?? "" });
    this.act({ type: "write", field: "answer", value: move.final_answer ?? "" });
    const { content } = this.draft;
    const sent = stepToSend(server.open, content);
    const [lack] = lacks(rules, server.open, content);
    if (move.refused !== undefined && NEVER_SENT.has(move.refused)) {
      expect(sent.human).toBeNull();
      return;
    }
    const expected = move.refused === "human_blank" ? "human_needed" : move.refused;
    expect(lack?.code).toBe(TOLD_BY_SERVER.has(expected ?? "") ? undefined : expected);
    if (move.refused !== undefined) return;
    const drawn = move.draws ?? null;
    if (drawn === null) expect(sent.human).not.toBeNull();
    else expect(among(rules, server.open, content)).toContain(drawn);
    const human = sent.final_answer === null ? sent.human : `${sent.human}\n\n# Answer\n\n${sent.final_answer}`;
    server.steps.push({ ...server.offer, said: sent.ratings, row: server.rowOf({ ...sent, human }, drawn) });
    server.offer = NOTHING;
    this.draft = newStepDraft();
  }

  submit({ reason = "solution", ratings, refused }: Move): void {
    const given = reason === "solution" ? ["", ""] : ["vague", "Stuck."];
    expect(CHOOSE_STEP.missing([], reason, given[0] ?? "", given[1] ?? "")).toEqual([]);
    if (refused !== undefined) return;
    const { server } = this;
    const last = server.steps.at(-1)?.row;
    const ended = last && /# Answer/.test(last.human_completion?.text ?? chosenText(last));
    if (ended) return;
    const open = server.open;
    for (const [row, { number }] of server.shown.entries()) {
      const rating = ratings?.[row] ?? null;
      this.act({ type: "clear", number });
      if (rating !== null) this.act({ type: "rate", row, number, rating });
    }
    const said = ratingsOf(open, this.draft.content);
    const wanted = reason === "give_up" || said.length > 0;
    if (wanted) server.steps.push({ ...server.offer, said, row: server.rowOf({ ratings: said }, null) });
  }
}

function chosenText({ completions, chosen_completion: chosen }: Row): string {
  return (chosen === null ? null : completions?.[chosen]?.text) ?? "";
}

test.each(cases as unknown as Case[])("$name", (one) => {
  const server = new KeepingServer();
  const page = new Page(server, one);
  for (const move of one.moves) page.play(move);
  expect([...one.given.map(givenRow), ...server.steps.map(({ row }) => row)]).toEqual(one.row);
});
