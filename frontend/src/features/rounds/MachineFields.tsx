import { NumberInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { api } from "@/api/client";
import { fieldFault } from "@/api/fieldFaults";
import * as limits from "@/api/limits";
import { inPercent } from "@/api/percent";
import type { Source, Sources } from "@/api/sourceTypes";
import { FormRow, SelectField } from "@/ui/Form";
import { Notice } from "@/ui/Notice";
import type { RoundForm } from "./roundForm";
import classes from "./rounds.module.css";

export function useMachines(slug: string): Source[] | null {
  const found = useQuery({
    queryKey: ["sources", slug],
    queryFn: ({ signal }) => api.get<Sources>(`/api/projects/${slug}/sources`, { signal }),
  });
  return found.data?.results ?? null;
}

interface MachineFieldsProps {
  slug: string;
  form: RoundForm;
  set: (changes: Partial<RoundForm>) => void;
  machines: Source[] | null;
  error: unknown;
}

const named = (machines: Source[]) => machines.map((one) => ({ value: String(one.id), label: one.name }));
const id = (value: string) => (value === "" ? "" : Number(value));

/** Whose marks an audit or a round of disagreements draws its traces by, and what is declared beforehand. */
export function MachineFields({ slug, form, set, machines, error }: MachineFieldsProps) {
  if (machines?.length === 0)
    return (
      <Notice tone="info" title="No machine has marked traces here">
        Make a source under <Link to={`/projects/${slug}/sources`}>Machine labels</Link> and run it. You can then draw a
        round by its marks.
      </Notice>
    );
  const number = (name: "bar" | "control" | "miss_costs") => ({
    name,
    value: form[name],
    onChange: (value: number | string) => set({ [name]: value === "" ? "" : Number(value) }),
  });
  return (
    <>
      <FormRow wide>
        <SelectField
          label="Marks by"
          choices={[{ value: "", label: "choose a source" }, ...named(machines ?? [])]}
          value={String(form.scorer)}
          error={fieldFault(error, "by_machine")}
          onChange={(value) => set({ scorer: id(value) })}
        />
        {form.source === "disagreement" && (
          <SelectField
            label="Against"
            choices={[
              { value: "", label: "people’s labels" },
              ...named((machines ?? []).filter((one) => one.id !== form.scorer)),
            ]}
            value={String(form.other)}
            onChange={(value) => set({ other: id(value) })}
          />
        )}
      </FormRow>
      {form.source === "audit" ? (
        <NumberInput
          label="Bar for bulk acceptance, per cent (optional)"
          description="Marks can be accepted later only if the lower end of the agreement on this sample is above this bar. It cannot be set after the round is opened."
          {...inPercent(limits.ByMachineIn.bar)}
          {...number("bar")}
        />
      ) : (
        <FormRow>
          <NumberInput
            label="Control arm, per cent"
            description="Drawn from all traces that both judged, whatever they said."
            {...inPercent(limits.ByMachineIn.control_share)}
            {...number("control")}
          />
          <NumberInput
            label="A missed error costs"
            description="as much as this many false alarms."
            {...limits.ByMachineIn.miss_costs}
            step={0.5}
            {...number("miss_costs")}
          />
        </FormRow>
      )}
    </>
  );
}

/** Whose marks labelers see: after their own label is sent or, as an experiment, next to the steps. */
export function ShownMarks({ form, set, machines, error }: Omit<MachineFieldsProps, "slug">) {
  if (!machines || machines.length === 0) return null;
  const choices = [{ value: "", label: "nobody" }, ...named(machines)];
  return (
    <>
      <FormRow wide>
        <SelectField
          label="Labelers see the marks of"
          choices={choices}
          value={String(form.shown)}
          error={fieldFault(error, "machine")}
          onChange={(value) => set({ shown: id(value) })}
        />
        {form.shown !== "" && (
          <SelectField
            label="When"
            choices={[
              { value: "after", label: "after their label is sent" },
              { value: "beside", label: "beside the steps (assisted)" },
            ]}
            value={form.when}
            onChange={(when) => set({ when: when === "beside" ? "beside" : "after" })}
          />
        )}
      </FormRow>
      {form.shown !== "" && form.when === "beside" && (
        <NumberInput
          label="Tasks that show nothing, per cent"
          description="Drawn at random. The round’s page compares tasks with and without marks: seconds saved, and how often labelers follow wrong marks."
          name="blind"
          {...inPercent(limits.ShownMarksIn.blind_share)}
          value={form.blind}
          onChange={(value) => set({ blind: value === "" ? "" : Number(value) })}
        />
      )}
      {form.shown !== "" && (
        <p className={classes.aside}>
          {form.when === "after"
            ? "Their first answer is kept. The report shows how often they changed it, and whether for the better. These rounds contain no gold."
            : "Labels made beside marks teach no PRM and count in no calibration. These rounds contain no gold."}
        </p>
      )}
    </>
  );
}
