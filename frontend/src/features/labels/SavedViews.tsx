import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { LabelView } from "@/api/labelListTypes";
import * as limits from "@/api/limits";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Form, FormButtons } from "@/ui/Form";
import { ErrorNotice } from "@/ui/Notice";
import classes from "./labels.module.css";
import { given, type LabelFilters } from "./labelWords";
import { useLabelViews, useRemoveLabelView, useSaveLabelView } from "./queries";

const BUILT_IN: Omit<LabelView, "id">[] = [
  { name: "All labels", filters: {} },
  { name: "Needs a look", filters: { why: "any", reviewed: "no", excluded: "no" } },
  { name: "Left out", filters: { excluded: "yes" } },
];

interface SavedViewsProps {
  slug: string;
  filters: LabelFilters;
  onShow: (filters: Record<string, string>) => void;
}

/** The list under several names: views shared by everybody, and your own. */
export function SavedViews({ slug, filters, onShow }: SavedViewsProps) {
  const views = useLabelViews(slug);
  const [saving, setSaving] = useState(false);
  const remove = useRemoveLabelView(slug);
  const now = JSON.stringify(sorted(given(filters)));
  const shows = (view: Omit<LabelView, "id">) => JSON.stringify(sorted(view.filters)) === now;
  const own = views.data?.results ?? [];
  const mine = own.find(shows);
  return (
    <nav className={classes.views} aria-label="Views">
      {BUILT_IN.map((view) => (
        <button key={view.name} type="button" aria-pressed={shows(view)} onClick={() => onShow(view.filters)}>
          {view.name}
        </button>
      ))}
      {own.map((view) => (
        <button key={view.id} type="button" aria-pressed={shows(view)} onClick={() => onShow(view.filters)}>
          {view.name}
        </button>
      ))}
      <span>
        {mine ? (
          <Button kind="plain" disabled={remove.isPending} onClick={() => remove.mutate(mine.id)}>
            Remove this view
          </Button>
        ) : (
          now !== "{}" &&
          !BUILT_IN.some(shows) && (
            <Button kind="plain" onClick={() => setSaving(true)}>
              Save this view…
            </Button>
          )
        )}
      </span>
      {saving && <SaveDialog slug={slug} filters={given(filters)} onClose={() => setSaving(false)} />}
    </nav>
  );
}

interface SaveDialogProps {
  slug: string;
  filters: Partial<LabelFilters>;
  onClose: () => void;
}

function SaveDialog({ slug, filters, onClose }: SaveDialogProps) {
  const [name, setName] = useState("");
  const save = useSaveLabelView(slug);
  return (
    <Dialog title="Save this view" onClose={onClose}>
      <Form
        onSubmit={() =>
          save.mutate({ name: name.trim(), filters: filters as Record<string, string> }, { onSuccess: onClose })
        }
      >
        <TextInput
          label="Name"
          description="Only you see it. A view with the same name is replaced."
          data-first
          required
          withAsterisk={false}
          {...limits.SaveLabelViewIn.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ErrorNotice error={save.error} />
        <FormButtons>
          <Button kind="primary" type="submit" disabled={save.isPending}>
            Save
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </FormButtons>
      </Form>
    </Dialog>
  );
}

function sorted(filters: Partial<Record<string, string>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(filters).sort(([one], [other]) => one.localeCompare(other)));
}
