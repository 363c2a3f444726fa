import { useSavePreferences, useUser } from "@/api/session";
import { pathCommands } from "@/protocol/choose_step/commands";
import { NO_CHOICES } from "@/protocol/keyMap";
import { ButtonLink } from "@/ui/Button";
import { ErrorNotice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { ComfortPanel } from "./ComfortPanel";
import { HelpSheet, LABELING } from "./HelpSheet";

/** The commands of all labeling pages, each listed once. */
const EVERYWHERE = [...LABELING, ...pathCommands.filter(({ name }) => LABELING.every((one) => one.name !== name))];

/** Sizes, pace and keys of the labeling page without a task on the desk. The controls are the same as there. */
export function ChoicesPage() {
  const { preferences } = useUser();
  const { save, error } = useSavePreferences();
  return (
    <>
      <PageHeading title="The labeling page" actions={<ButtonLink to="/account">Back to your account</ButtonLink>} />
      <Panel title="Comfort" note="Changes apply at once, in every project and on every device.">
        <ComfortPanel />
      </Panel>
      <Panel title="Keys" note="They apply in every project and on every device.">
        <ErrorNotice error={error} />
        <HelpSheet
          list={EVERYWHERE}
          choices={preferences.keys ?? NO_CHOICES}
          onChange={(keys) => save((now) => ({ ...now, keys: { ...keys } }))}
        />
      </Panel>
    </>
  );
}
