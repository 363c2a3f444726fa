import { Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { type NoticeChoices as Choices, NOTICE_KINDS, type NoticeChoice, type NoticeKind } from "@/api/deskTypes";
import { runsAProject, useUser } from "@/api/session";
import type { SessionUser } from "@/api/types";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { ErrorNotice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { ErrorState, SkeletonLines } from "@/ui/states";

const choicesKey = ["notice-choices"];
type Channel = "app" | "mail";

/** Which kinds of notices reach you in the app and by mail. */
export function NoticeChoices() {
  const user = useUser();
  const client = useQueryClient();
  const choices = useQuery({
    queryKey: choicesKey,
    queryFn: ({ signal }) => api.get<Choices>("/api/notices/choices", { signal }),
  });
  const choose = useMutation({
    mutationFn: (choice: NoticeChoice) => api.put<Choices>("/api/notices/choices", choice),
    onSuccess: (now) => client.setQueryData(choicesKey, now),
  });
  const column = (name: string, channel: Channel): TableColumn<NoticeKind> => ({
    name,
    align: "right",
    cell: (kind) => (
      <Switch
        aria-label={`${NOTICE_KINDS[kind].name}: ${name.toLowerCase()}`}
        checked={choices.data?.kinds[kind]?.[channel] ?? false}
        disabled={choose.isPending}
        onChange={(event) => choose.mutate({ kind, channel, on: event.currentTarget.checked })}
      />
    ),
  });
  const columns: TableColumn<NoticeKind>[] = [
    {
      name: "Notice",
      main: true,
      cell: (kind) => (
        <>
          {NOTICE_KINDS[kind].name}
          <br />
          <small>{NOTICE_KINDS[kind].means}</small>
        </>
      ),
    },
    column("In the app", "app"),
    ...(choices.data?.mail ? [column("By mail", "mail")] : []),
  ];
  return (
    <div id="notices">
      <Panel title="Notices" note={choices.data && mailWords(choices.data.mail, user.email)}>
        <ErrorNotice error={choose.error} />
        {choices.isPending && <SkeletonLines lines={4} />}
        {choices.isError && <ErrorState inline error={choices.error} retry={() => void choices.refetch()} />}
        {choices.data && (
          <DataTable
            caption="Which notices reach you, and where"
            aligned
            columns={columns}
            rows={kindsFor(user)}
            rowKey={(kind) => kind}
          />
        )}
      </Panel>
    </div>
  );
}

const OF_LABELERS: NoticeKind[] = ["paused", "invited"];

/** Return the kinds of notices this person can get: most are only for people who run a project. */
function kindsFor(user: SessionUser): NoticeKind[] {
  return runsAProject(user) ? (Object.keys(NOTICE_KINDS) as NoticeKind[]) : OF_LABELERS;
}

function mailWords(sends: boolean, address: string): string {
  if (!sends) return "This site sends no mail, because no mail server is set.";
  return address ? `Mail is sent to ${address}.` : "You get no mail, because your account has no address.";
}
