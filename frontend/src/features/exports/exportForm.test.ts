import { describe, expect, test } from "vitest";
import { EMPTY_EXPORT, FINISH_REASONS, newExport } from "./exportForm";

describe("a new export", () => {
  test("of an untouched form asks for everything", () => {
    expect(newExport(EMPTY_EXPORT)).toEqual({ format: "prm800k", filters: {}, switches: {}, gzip: false });
  });

  test("sends only the switches its format knows", () => {
    const switches = { neutral: "positive", surplus: "exclude" };
    expect(newExport({ ...EMPTY_EXPORT, switches }).switches).toEqual({ surplus: "exclude" });
    expect(newExport({ ...EMPTY_EXPORT, format: "neutral", switches }).switches).toEqual(switches);
  });

  test("with every finish reason ticked is the same as with none", () => {
    expect(newExport({ ...EMPTY_EXPORT, finish: FINISH_REASONS }).filters).toEqual({});
    expect(newExport({ ...EMPTY_EXPORT, finish: ["solution"], rounds: [3], split: "train" }).filters).toEqual({
      finish: ["solution"],
      rounds: [3],
      split: "train",
    });
  });

  test("leaves blank statements out, so that the manifest says unknown", () => {
    const asked = newExport({
      ...EMPTY_EXPORT,
      roles: { prm: "  ", policy_model: " llama " },
      statements: { tested_where: "" },
    });
    expect(asked.roles).toEqual({ policy_model: "llama" });
    expect(asked.statements).toBeUndefined();
  });
});
