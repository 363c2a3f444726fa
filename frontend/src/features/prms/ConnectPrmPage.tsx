import { Checkbox } from "@mantine/core";
import { useNavigate, useParams } from "react-router";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { useKeptForm } from "@/api/keptForm";
import * as limits from "@/api/limits";
import type { PrmConnections } from "@/api/roundTypes";
import { useUser } from "@/api/session";
import { Button, ButtonLink } from "@/ui/Button";
import { Choices, Form, FormButtons, FormRow, FormSection, SelectField, TextField } from "@/ui/Form";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import {
  type ConnectForm,
  chosen,
  DTYPES,
  EMPTY,
  NEUTRALS,
  places,
  references,
  request,
  SEPARATORS,
} from "./connectForm";
import classes from "./prms.module.css";
import { AGGREGATIONS } from "./prmWords";
import { useConnectPrm, usePrmConnections } from "./queries";

const SHOWN = ["name", "folder", "server", "model", "reference", "aggregation", "family"];

/** Bring an outside PRM into the project: from a folder that the workers see, or a server that the operator listed. */
export function ConnectPrmPage() {
  const { slug = "" } = useParams();
  const connections = usePrmConnections(slug);
  return (
    <>
      <PageHeading title="Connect a PRM" />
      {connections.isPending && <SkeletonLines lines={8} />}
      {connections.isError && !connections.data && (
        <ErrorState inline error={connections.error} retry={() => void connections.refetch()} />
      )}
      {connections.data && <Connecting slug={slug} connections={connections.data} />}
    </>
  );
}

function Connecting({ slug, connections }: { slug: string; connections: PrmConnections }) {
  const none = places(connections).length === 0;
  return (
    <>
      {connections.workers === 0 && (
        <Notice tone="warn" title="No worker for PRMs is running">
          Only a worker of the queue gpu can see the models, check a PRM and score with it. Ask the operator of the site
          to start one. This page updates automatically.
        </Notice>
      )}
      {none ? (
        <>
          <EmptyState inline title="There is nothing to connect yet">
            <p>
              The operator of the site must put the folder of a PRM (config.json, tokenizer.json, safetensors) under
              MODELS_DIR, or list a server in PRM_SERVERS. A folder appears here within half a minute. Stepmark
              downloads nothing, and you cannot type an address here.
            </p>
          </EmptyState>
          <KnownFamilies connections={connections} />
        </>
      ) : (
        <ConnectPrmForm slug={slug} connections={connections} />
      )}
    </>
  );
}

/** Which PRMs can be used, for people who look for one to download. */
function KnownFamilies({ connections }: { connections: PrmConnections }) {
  return (
    <section className={classes.families} aria-label="What can be connected">
      <h2>What can be connected</h2>
      <dl>
        {connections.families.map((family) => (
          <div key={family.name}>
            <dt>{family.title}</dt>
            <dd>{family.means}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function ConnectPrmForm({ slug, connections }: { slug: string; connections: PrmConnections }) {
  const navigate = useNavigate();
  const connect = useConnectPrm(slug);
  const kept = useKeptForm(`connect:${slug}`, () => EMPTY);
  const { form } = kept;
  const set = (changes: Partial<ConnectForm>) => kept.set(changes);
  const { place, family } = chosen(form, connections);
  const asked = request(form, connections);
  const fault = (name: string) => fieldFault(connect.error, name);
  const submit = () =>
    asked &&
    !connect.isPending &&
    kept.sent(connect.mutateAsync(asked), (prm) => void navigate(`/projects/${slug}/prms/${prm.id}`));
  return (
    <Form onSubmit={submit} label="Connect a PRM" left={kept}>
      <FormSection
        title="Where it is"
        note="The folders that the workers see, and the servers that the operator has listed."
      >
        <Choices
          legend="Model"
          name="place"
          choices={places(connections)}
          value={form.place}
          onChange={(value) => set({ place: value, family: "", aggregation: "", reference: "" })}
        />
        <ErrorNotice error={fault("folder") || fault("server") || fault("model") ? connect.error : null} />
      </FormSection>
      {place && !place.fixed && (
        <FormSection
          title="What it is"
          note="The family defines how text becomes tokens, and where the scores are read."
        >
          <Choices
            legend="Family"
            name="family"
            choices={connections.families
              .filter((one) => one.place === "folder")
              .map(({ name, title, means }) => ({ value: name, name: title, means }))}
            value={family?.name ?? ""}
            onChange={(value) => set({ family: value, aggregation: "" })}
          />
        </FormSection>
      )}
      {place && family && <Reading form={form} set={set} connections={connections} fault={fault} />}
      {place && family && <About form={form} set={set} connections={connections} fault={fault} />}
      <ErrorNotice error={otherFault(connect.error, SHOWN)} title="The PRM was not connected" />
      <FormButtons>
        <Button kind="primary" type="submit" disabled={!asked || connect.isPending}>
          {connect.isPending ? "Connecting…" : "Connect and check"}
        </Button>
        <ButtonLink to={`/projects/${slug}/prms`} onClick={() => kept.forget()}>
          Cancel
        </ButtonLink>
        <span className={classes.quiet}>
          {asked
            ? "A worker loads it and scores a short trace before it can be used."
            : missing(Boolean(place), Boolean(family))}
        </span>
      </FormButtons>
    </Form>
  );
}

function missing(place: boolean, family: boolean): string {
  if (!place) return "Choose a model.";
  return family ? "Choose the model that it is compared with." : "Choose its family.";
}

interface PartProps {
  form: ConnectForm;
  set: (changes: Partial<ConnectForm>) => void;
  connections: PrmConnections;
  fault: (name: string) => string | undefined;
}

/** How to read its numbers: as its authors do, unless you know better. */
function Reading({ form, set, connections, fault }: PartProps) {
  const { place, family, aggregation } = chosen(form, connections);
  if (!place || !family) return null;
  return (
    <FormSection
      title="How it is read"
      note={
        family.by_authors
          ? "As its authors read it, unless you change it."
          : "Its authors give no rule for whole traces."
      }
    >
      <FormRow wide>
        <SelectField
          label="A trace’s score is"
          choices={family.aggregations.map((value) => ({
            value,
            label: `${AGGREGATIONS[value]}${family.by_authors && value === family.aggregation ? " (its authors’)" : ""}`,
          }))}
          value={aggregation ?? family.aggregation}
          error={fault("aggregation")}
          onChange={(value) => set({ aggregation: value })}
        />
        {family.place === "folder" && (
          <SelectField label="Numbers" choices={DTYPES} value={form.dtype} onChange={(dtype) => set({ dtype })} />
        )}
      </FormRow>
      {family.neutral && (
        <SelectField
          label="A neutral step counts as"
          note="Only for models with three labels. PRM800K and Qwen count it as right, TRL’s own script as wrong."
          choices={NEUTRALS}
          value={form.neutral}
          onChange={(neutral) => set({ neutral })}
        />
      )}
      {family.separator && (
        <SelectField
          label="Separator between steps"
          note="The one it was trained with: TRL’s step_separator. With the wrong one, its scores mean little."
          choices={SEPARATORS}
          value={form.separator}
          onChange={(separator) => set({ separator })}
        />
      )}
      {family.reference && (
        <SelectField
          label="Compared with"
          note="The model it was trained against. Its folder must be under MODELS_DIR too."
          choices={references(form, connections)}
          value={form.reference}
          error={fault("reference")}
          onChange={(reference) => set({ reference })}
        />
      )}
    </FormSection>
  );
}

/** Its name, what it learned from, and who may use it. */
function About({ form, set, connections, fault }: PartProps) {
  const { title } = chosen({ ...form, name: "" }, connections);
  return (
    <FormSection title="About it">
      <TextField
        label="Name"
        placeholder={title}
        {...limits.ConnectPrmIn.name}
        value={form.name}
        error={fault("name")}
        onChange={(name) => set({ name })}
      />
      <TextField
        label="Learned from (optional)"
        note="As its card says. This is shown wherever the PRM is used, because a PRM that has seen the traces or labels it judges looks better than it is."
        placeholder="unknown"
        {...limits.ConnectPrmIn.learned_from}
        value={form.learned_from}
        onChange={(learned_from) => set({ learned_from })}
      />
      {useUser().is_superuser && (
        <Checkbox
          label="For all projects"
          description="Offer it to every project of this site, and not only to this one."
          checked={form.for_all}
          onChange={(event) => set({ for_all: event.currentTarget.checked })}
        />
      )}
    </FormSection>
  );
}
