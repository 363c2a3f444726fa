import type { LoggedInBrowser } from "@/api/types";
import { Button } from "@/ui/Button";
import type { TableColumn } from "@/ui/DataTable";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { PagedTable } from "@/ui/PagedTable";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState } from "@/ui/states";
import { useBrowsers, useEndBrowser, useEndOtherBrowsers } from "./queries";

const HOW: Record<LoggedInBrowser["how"], string> = {
  password: "password",
  passkey: "passkey",
  provider: "sign-in provider",
  invitation: "invitation",
};

/** Where you are logged in. Each login can be ended from here. */
export function Browsers() {
  const browsers = useBrowsers();
  const end = useEndBrowser();
  const endOthers = useEndOtherBrowsers();
  const columns: TableColumn<LoggedInBrowser>[] = [
    { name: "Browser", main: true, cell: ({ browser }) => browser || "Unknown browser" },
    { name: "Address", cell: ({ address }) => address ?? "unknown" },
    { name: "Logged in", cell: ({ began_at }) => <RelativeTime at={began_at} /> },
    { name: "With", cell: ({ how }) => HOW[how] },
    {
      name: "Log out there",
      quiet: true,
      cell: (row) =>
        row.is_this ? (
          <StatusMark tone="good">this one</StatusMark>
        ) : (
          <Button kind="danger" disabled={end.isPending} onClick={() => end.mutate(row.id)}>
            Log out there
          </Button>
        ),
    },
  ];
  const others = browsers.rows?.some(({ is_this }) => !is_this);
  return (
    <Panel
      title="Where you are logged in"
      note="If you do not recognise a browser, log out there and change your password."
      actions={
        others && (
          <Button disabled={endOthers.isPending} onClick={() => endOthers.mutate()}>
            Log out everywhere else
          </Button>
        )
      }
    >
      <ErrorNotice error={end.error ?? endOthers.error} />
      {endOthers.isSuccess && <Notice tone="good">You are now logged in only here.</Notice>}
      <PagedTable
        caption="Where you are logged in"
        list={browsers}
        columns={columns}
        rowKey={({ id }) => id}
        one="browser"
        empty={<EmptyState inline title="This list does not show logins from before it was introduced" />}
      />
    </Panel>
  );
}
