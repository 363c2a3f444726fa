import { QueryClient } from "@tanstack/react-query";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { Link, useParams } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { JobProgress } from "./JobProgress";

afterEach(closeTestPage);

async function open(job: { attempts: number; error: string }, silent_seconds = 0) {
  const progress = { bytes_done: 512, bytes_total: 2048, rows: 30, silent_seconds };
  openTestPage({
    page: <JobProgress slug="demo" id={4} />,
    answers: {
      "/api/imports/4": { id: 4, file_name: "rows.jsonl", status: "running", report: null, progress, ...job },
    },
  });
  await screen.findByText(/30 rows/);
}

test("an import that begins anew after its worker died says so, and that nothing was kept", async () => {
  await open({ attempts: 2, error: "" });
  expect(screen.getByText("Started again, attempt 2")).toBeTruthy();
  expect(screen.getByText(/The file is being read again from the start/)).toBeTruthy();
});

test("a first attempt says nothing of another", async () => {
  await open({ attempts: 1, error: "" });
  expect(screen.queryByText(/Started again/)).toBeNull();
  expect(screen.queryByText(/The worker has not responded/)).toBeNull();
});

test("of a worker that gives no sign of life it is said since when, and what comes", async () => {
  await open({ attempts: 1, error: "" }, 20);
  expect(screen.getByText(/The worker has not responded for 20 s/)).toBeTruthy();
});

test("where the last attempt failed with a reason, that is told alone", async () => {
  await open({ attempts: 2, error: "The disk is full." });
  expect(screen.getByText("The disk is full.")).toBeTruthy();
  expect(screen.queryByText(/Started again/)).toBeNull();
});

test("an import reached from another project's makes its own project count anew", async () => {
  const forgotten = vi.spyOn(QueryClient.prototype, "invalidateQueries");
  const progress = { bytes_done: 2048, bytes_total: 2048, rows: 30, silent_seconds: 0 };
  const job = { file_name: "rows.jsonl", report: null, progress, attempts: 1, error: "" };
  const Imports = () => {
    const { slug = "", id } = useParams();
    return (
      <>
        <JobProgress slug={slug} id={Number(id)} />
        <Link to="/projects/other/imports/5">The one ahead</Link>
      </>
    );
  };
  openTestPage({
    page: <Imports />,
    at: "/projects/demo/imports/4",
    path: "/projects/:slug/imports/:id",
    answers: {
      "/api/imports/4": { id: 4, ...job, status: "cancelled" },
      "/api/imports/5": { id: 5, ...job, status: "cancelled" },
    },
  });
  const counts = (slug: string) => ({ queryKey: ["traces", slug] });
  await waitFor(() => expect(forgotten).toHaveBeenCalledWith(counts("demo")));
  fireEvent.click(screen.getByText("The one ahead"));
  await waitFor(() => expect(forgotten).toHaveBeenCalledWith(counts("other")));
  forgotten.mockRestore();
});
