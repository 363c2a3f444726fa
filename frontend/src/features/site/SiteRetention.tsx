import { TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "@/api/client";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import * as limits from "@/api/limits";
import type { components } from "@/api/schema";
import { Button } from "@/ui/Button";
import { Form, FormButtons } from "@/ui/Form";
import { formatCount } from "@/ui/format";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { Facts, Panel } from "@/ui/Panel";
import { type Old, PrunePanel } from "@/ui/PrunePanel";

type Server = components["schemas"];
type Person = Server["PersonDataOut"];

/** For administrators: delete a person's data, and what nobody will continue. */
export function SiteRetention() {
  return (
    <>
      <ForgetPanel />
      <Prune />
    </>
  );
}

function Prune() {
  const [days, setDays] = useState(90);
  const client = useQueryClient();
  const found = useQuery({
    queryKey: ["site", "retention", days],
    queryFn: ({ signal }) => api.get<Server["SiteRetentionOut"]>(`/api/site/retention?days=${days}`, { signal }),
  });
  const prune = async (asked: { days: number; rollouts: boolean }) => {
    const gone = await api.post<Old>("/api/site/retention/prune", asked);
    await client.invalidateQueries({ queryKey: ["site", "retention"] });
    return gone;
  };
  return (
    <>
      <ErrorNotice error={found.error} />
      <PrunePanel
        of="all projects"
        days={days}
        limits={limits.PruneIn.days}
        onDays={setDays}
        old={found.data?.old}
        prune={prune}
      />
    </>
  );
}

const person = "/api/site/person_data";

function ForgetPanel() {
  const [name, setName] = useState("");
  const [again, setAgain] = useState("");
  const look = useMutation({
    mutationFn: () => api.get<Person>(`${person}?username=${encodeURIComponent(name.trim())}`),
    onSuccess: () => setAgain(""),
  });
  const forget = useMutation({
    mutationFn: (username: string) => api.post<Person>(`${person}/forget`, { username, again }),
    onSuccess: () => look.reset(),
  });
  const found = look.data;
  return (
    <Panel
      title="A person who wants their data out"
      note="Name, mail, password, tokens, notices and unfinished drafts are deleted permanently. Labels and reviews stay under an anonymous name, because other people’s figures depend on them."
    >
      <div style={{ display: "grid", gap: 20 }}>
        <Form label="A person’s data" onSubmit={() => look.mutate()}>
          <ErrorNotice error={otherFault(look.error, ["username"])} />
          <TextInput
            label="User name"
            name="username"
            {...limits.ForgetPersonIn.username}
            autoComplete="off"
            value={name}
            error={fieldFault(look.error, "username")}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <FormButtons>
            <Button type="submit" disabled={name.trim() === "" || look.isPending}>
              See what would go
            </Button>
          </FormButtons>
        </Form>
        {found && <Preview person={found} />}
        {found && !found.why_not && (
          <Form label="Forget this person" onSubmit={() => forget.mutate(found.username)}>
            <ErrorNotice error={otherFault(forget.error, ["again"])} />
            <TextInput
              label={`Type ${found.username} to forget this person for good`}
              name="again"
              autoComplete="off"
              value={again}
              error={fieldFault(forget.error, "again")}
              onChange={(event) => setAgain(event.currentTarget.value)}
            />
            <FormButtons>
              <Button kind="danger" type="submit" disabled={again !== found.username || forget.isPending}>
                Forget this person
              </Button>
            </FormButtons>
          </Form>
        )}
        {forget.data && (
          <Notice tone="good">
            {forget.data.username} is {forget.data.name_afterwards} now. Deleted or given back:{" "}
            {listed(forget.data.goes)}.
          </Notice>
        )}
      </div>
    </Panel>
  );
}

function Preview({ person }: { person: Person }) {
  if (person.why_not) return <Notice tone="info">{person.why_not}</Notice>;
  return (
    <Facts
      facts={[
        ["Name afterwards", person.name_afterwards],
        ["Deleted or given back", listed(person.goes)],
        ["Stays under that name", listed(person.stays)],
        ...inFiles(person.taken_out),
      ]}
    />
  );
}

/** Return the projects that are in files now, from which nothing can be deleted. */
function inFiles(slugs: string[]): [string, string][] {
  if (slugs.length === 0) return [];
  const held = "Data in the files of these projects; it is deleted from the rows when the projects are brought back";
  return [["Not taken out", `${held}: ${slugs.join(", ")}`]];
}

/** Names for rows that are counted by their table. */
const WORDS: Record<string, string> = {
  released: "held tasks given back",
  login_attempts: "login attempts",
  apitoken: "API tokens",
  notice: "notices",
  identity: "sign-ins with a provider",
  loggedin: "browsers",
  secondfactor: "second factors",
  recoverycode: "recovery codes",
  provisioned: "accounts by SCIM",
  provisionedmember: "groups by SCIM",
  membership: "memberships",
};

function listed(parts: Person["goes"]): string {
  return parts.map(({ what, count }) => `${WORDS[what] ?? what}: ${formatCount(count)}`).join(", ") || "nothing else";
}
