import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import type { TrainingOptions } from "@/api/trainingTypes";
import { NewTrainingPage } from "./NewTrainingPage";
import { emptyTraining, newTraining, stillOffered } from "./trainingForm";

afterEach(closeTestPage);

const round = (number: number) => ({ id: number + 10, number, name: "", status: "closed", labels: 5 });
const source = (id: number, kind: string) => ({ id, kind, name: `Source ${id}`, marks: 9 });
const OPTIONS = {
  rounds: [round(1), round(2)],
  bases: ["qwen", "tiny"],
  sources: [source(4, "judge"), source(5, "rollouts")],
} as unknown as TrainingOptions;

async function open(search = "", options: unknown = OPTIONS) {
  const page = openTestPage({
    page: <NewTrainingPage />,
    at: `/projects/demo/prms/train${search}`,
    path: "/projects/:slug/prms/train",
    answers: {
      "/api/projects/demo/training_runs/options": options,
      "/api/projects/demo/training_runs": { id: 8 },
    },
  });
  await screen.findByRole("form", { name: "Train a PRM" });
  return page;
}

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const came = () => screen.queryByText("As you left it.") !== null;

function fill() {
  fireEvent.change(field("Name (optional)"), { target: { value: "After round 2" } });
  fireEvent.change(screen.getByLabelText("Base model"), { target: { value: "tiny" } });
  fireEvent.click(screen.getByText("LoRA"));
}

test("a training that was filled in and left comes back; a link to one of a round is another form", async () => {
  await open();
  fill();
  expect(came()).toBe(false);
  cleanup();
  await open("?round=11");
  expect([field("Name (optional)").value, came()]).toEqual(["", false]);
  cleanup();
  await open();
  expect([field("Name (optional)").value, field("Base model").value, came()]).toEqual(["After round 2", "tiny", true]);
  expect(field("Layers kept").value).toBe("");
  fireEvent.click(screen.getByRole("button", { name: "Start over" }));
  expect([field("Name (optional)").value, field("Base model").value, came()]).toEqual(["", "qwen", false]);
});

test("once it is begun the next form is empty", async () => {
  const page = await open();
  fill();
  fireEvent.click(screen.getByRole("button", { name: "Start training" }));
  await expect.poll(page.address).toBe("/projects/demo/prms/runs/8");
  cleanup();
  await open();
  expect([field("Name (optional)").value, came()]).toEqual(["", false]);
});

test("of a form that was left a while ago only what is still there is chosen", () => {
  const left = {
    ...emptyTraining(OPTIONS, new URLSearchParams()),
    chosen: ["11", "99"],
    base: "gone",
    weights: { 4: 0.5, 98: 0.3 },
    measured: "97",
  };
  const now = stillOffered(left, OPTIONS);
  expect(now).toEqual({ ...left, chosen: ["11"], base: "qwen", weights: { 4: 0.5 }, measured: "5" });
  expect(newTraining(now)).toMatchObject({ round_ids: [11], base: "qwen", sources: [{ id: 4, weight: 0.5 }] });
  expect(stillOffered(now, { ...OPTIONS, sources: [] })).toMatchObject({ weights: {}, measured: "" });
});
