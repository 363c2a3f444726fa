import { NativeSelect } from "@mantine/core";
import type { Agreement } from "@/api/reviewTypes";
import type { AgreementFilters } from "./queries";

interface Choice {
  value: string;
  label: string;
}

/** Return people first, then imported labelers in a group of their own. */
function labelerChoices(labelers: Agreement["labelers"]): (Choice | { group: string; items: Choice[] })[] {
  const of = (kind: string) =>
    labelers
      .filter((labeler) => labeler.kind === kind)
      .map(({ id, display_name }) => ({ value: String(id), label: display_name }));
  const imported = of("imported");
  return [...of("person"), ...(imported.length > 0 ? [{ group: "Imported labelers", items: imported }] : [])];
}

interface TwoLabelersProps {
  labelers: Agreement["labelers"];
  filters: Pick<AgreementFilters, "one" | "other">;
  setFilters: (changes: Partial<AgreementFilters>) => void;
}

/** Choose two labelers or none: the figures of one alone would depend on who else happened to label the same traces. */
export function TwoLabelers({ labelers, filters: { one, other }, setFilters }: TwoLabelersProps) {
  const others = labelerChoices(labelers.filter(({ id }) => String(id) !== one));
  return (
    <>
      <NativeSelect
        label="Labeler"
        value={one}
        data={[{ value: "", label: "anyone" }, ...labelerChoices(labelers)]}
        onChange={({ currentTarget: { value } }) =>
          setFilters({ one: value, other: value === "" || value === other ? "" : other })
        }
      />
      <NativeSelect
        label="and labeler"
        value={other === one ? "" : other}
        disabled={one === ""}
        data={[{ value: "", label: one === "" ? "anyone" : "choose one" }, ...others]}
        onChange={({ currentTarget: { value } }) => setFilters({ other: value })}
      />
    </>
  );
}
