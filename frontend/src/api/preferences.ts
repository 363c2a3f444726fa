/** A person's choices for the labeling page; kept on the server, so they are the same on every device. */
import { useSavePreferences, useUser } from "./session";
import type { Preferences } from "./types";

export type PageChoices = Required<NonNullable<Preferences["page"]>>;

export const USUAL: PageChoices = {
  text_size: 100,
  line_width: "normal",
  density: "comfortable",
  calls: "shown",
  clock: true,
  dwell_seconds: 0,
  goal: 0,
  rest_minutes: 50,
  tasks_ahead: 5,
};

/** The person's choices, with defaults for the rest. */
export function pageChoices(preferences: Preferences): PageChoices {
  return { ...USUAL, ...preferences.page };
}

export function usePageChoices(): PageChoices {
  return pageChoices(useUser().preferences);
}

/** Change the choices. They are shown at once and reverted if the server refuses; `error` says why. */
export function useChangePage() {
  const { save, error } = useSavePreferences();
  return {
    change: (page: Partial<PageChoices>) => save((now) => ({ ...now, page: { ...now.page, ...page } })),
    reset: () => save((now) => ({ ...now, page: {} })),
    error,
  };
}
