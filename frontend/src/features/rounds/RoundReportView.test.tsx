import { screen, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { Round } from "@/api/projectTypes";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { RoundReportView } from "./RoundReportView";
import { testReport } from "./testReport";

afterEach(closeTestPage);

const REPORT = testReport({ labels: { submitted: 0, surplus: 0 } });

test("a round that was just opened shows neither figures that nobody knows yet nor empty charts", async () => {
  const round = { id: 1, status: "active", staged: false } as unknown as Round;
  openTestPage({ page: <RoundReportView slug="demo" round={round} />, answers: { "/api/rounds/1/report": REPORT } });
  const panel = await screen.findByRole("region", { name: "What it is worth so far" });
  expect(within(panel).getByText("Labels")).toBeTruthy();
  expect(screen.queryAllByText("n/a")).toEqual([]);
  expect(screen.queryAllByRole("figure")).toEqual([]);
});
