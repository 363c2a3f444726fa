import { Progress } from "@mantine/core";

/** Progress as a bar; the caller writes the text next to it. `null`: running, end unknown. */
export function ProgressLine({ label, done, total }: { label: string; done: number; total: number | null }) {
  const percent = total === null ? 100 : total === 0 ? 0 : Math.min(100, (done / total) * 100);
  return (
    <Progress.Root size={8} radius={4} style={{ background: "var(--sunken)" }}>
      <Progress.Section
        value={percent}
        color="var(--focus)"
        animated={total === null}
        striped={total === null}
        aria-label={label}
        aria-valuetext={total === null ? "running" : `${Math.floor(percent)} %`}
      />
    </Progress.Root>
  );
}
