import fc from "fast-check";
import { expect, test } from "vitest";
import { draftReducer, emptyContent, newDraft } from "@/protocol/draft";
import { FIRST_ERROR } from "@/protocol/firstError";
import { codeLines, codeParts } from "@/ui/math/codeColours";
import { copiesOf, copyWords } from "./copying";
import { tooSoon } from "./dwell";
import { queueNews } from "./queueNews";
import { rangesOf, stepsWith } from "./searching";
import { readSplitReport, splitReport, wordsOf } from "./splitting";
import { BREAK_MS, extendStretch, restIsDue, type WorkStretch } from "./workStretch";

const draft = newDraft(FIRST_ERROR, emptyContent(3));
const MINUTE = 60_000;

test("a step is cut between words, and never inside a formula", () => {
  const text = "So $x = 3 + 4$ holds,\n\nthus $$y = 1$$ too.";
  const words = wordsOf(text);
  expect(words.map((word) => word.text)).toEqual(["So", "$x = 3 + 4$", "holds,", "thus", "$$y = 1$$", "too."]);
  for (const word of words) expect(text.slice(word.at, word.at + word.text.length)).toBe(word.text);
});

test("a report of places reads back as these places, whatever the step says", () => {
  const pieces = fc.constantFrom("a", " ", "\n", "$x = 1$", "word", "Split before character 3", "`c d`", "|", "⏐");
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 20 }),
      fc.string(),
      fc.infiniteStream(fc.boolean()),
      (parts, remark, coin) => {
        const words = wordsOf(parts.join(""));
        const cuts = words.flatMap((_, place) => (place > 0 && coin.next().value ? [place] : []));
        const said = remark.replace(/^Split before/gm, "").trim();
        expect(readSplitReport(words, splitReport(words, cuts, said))).toEqual({ cuts, remark: said });
      },
    ),
  );
});

test("a break is proposed after the minutes of a stretch, and again only a quarter of an hour later", () => {
  let stretch: WorkStretch | null = null;
  for (let minute = 0; minute <= 50; minute += 1) stretch = extendStretch(stretch, minute * MINUTE);
  expect(restIsDue(stretch, 50, null)).toBe(true);
  expect(restIsDue(stretch, 0, null)).toBe(false);
  expect(restIsDue(stretch, 51, null)).toBe(false);
  expect(restIsDue(stretch, 50, 49 * MINUTE)).toBe(false);
  expect(restIsDue(extendStretch(stretch, 50 * MINUTE + BREAK_MS), 50, null)).toBe(false);
});

test("what is rated before its time is not taken; what is rated already may be changed at once", () => {
  const read = [3_000, 500, 3_000];
  const rate = (step: number) => tooSoon(draft, { type: "rate", step, rating: 1 }, read, 2);
  expect([rate(0), rate(1)]).toEqual([null, 1]);
  expect(tooSoon(draft, { type: "goodUpTo", step: 2 }, read, 2)).toBe(1);
  const rated = draftReducer(draft, { type: "rate", step: 1, rating: 1 });
  expect(tooSoon(rated, { type: "rate", step: 1, rating: 0 }, read, 2)).toBeNull();
});

test("undo takes ratings back, and leaves the scratch pad, the calculator and the marks alone", () => {
  const actions = [
    { type: "rate", step: 0, rating: 1 },
    { type: "scratch", text: "a = 3" },
    { type: "calculated", calculation: { input: "1+1", result: "2" } },
    { type: "lookAgain", step: 2 },
    { type: "lookAgain", step: 1 },
    { type: "undo" },
  ] as const;
  const { content } = actions.reduce(draftReducer, draft);
  expect(content.ratings).toEqual([null, null, null]);
  expect(content.desk).toEqual({
    scratch: "a = 3",
    calculations: [{ input: "1+1", result: "2" }],
    lookAgain: [1, 2],
  });
});

test("words are found in either case and across line breaks", () => {
  expect(stepsWith(["The Answer\nis $x$", "no", "the  answer IS"], " answer is")).toEqual([0, 2]);
  expect(stepsWith(["a"], " ")).toEqual([]);
});

test("words are marked also where a part of them is an element of its own", () => {
  const place = document.createElement("div");
  place.innerHTML = "So 8 <span>- 3</span> <b>Is</b> 5. İ: 8 - 3 is";
  expect(rangesOf(place, "8 - 3 is").map(String)).toEqual(["8 - 3 Is", "8 - 3 is"]);
  expect(rangesOf(place, "5").map(String)).toEqual(["5"]);
  expect(rangesOf(place, "none")).toEqual([]);
});

test("a step is copied as it was written, then its formulas one by one", () => {
  expect(copiesOf("So $x=1$ and $$y$$")).toEqual(["So $x=1$ and $$y$$", "x=1", "y"]);
  expect(copyWords("step 3", 0, 3)).toBe("Step 3 copied as it was written. Again: its 2 formulas.");
  expect(copyWords("step 3", 2, 3)).toBe("Formula 2 of 2 in step 3 copied as TeX.");
});

test("the parts of a line of a program are the line", () => {
  fc.assert(
    fc.property(
      fc.string(),
      (line) =>
        codeParts(line)
          .map((part) => part.text)
          .join("") === line,
    ),
  );
  expect(codeLines('x = """if\nelse\n"""\nif').map(([first]) => first?.kind)).toEqual([
    "string",
    "string",
    "string",
    "keyword",
  ]);
  expect(codeParts('return "if" # no').map((part) => part.kind)).toEqual([
    "keyword",
    "plain",
    "string",
    "plain",
    "comment",
  ]);
});

test("of a submission that waits for the network nobody says that it was submitted", () => {
  const nothing = () => undefined;
  const calm = {
    refused: [],
    notice: "",
    working: false,
    undoKey: "z",
    undo: nothing,
    hide: nothing,
    openRefused: nothing,
  };
  const last = { key: "k", haste: "", left: false };
  expect(queueNews({ ...calm, last, waits: false })?.words).toBe("Submitted.");
  expect(queueNews({ ...calm, last, waits: true })?.words).toBe("Kept here, sent later.");
  expect(queueNews({ ...calm, last, waits: false, working: true })).toBeNull();
  expect(queueNews({ ...calm, last: { ...last, left: true }, waits: false })?.words).toBe("You left the last problem.");
});
