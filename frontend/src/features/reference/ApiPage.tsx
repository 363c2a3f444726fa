import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "react-router";
import { api } from "@/api/client";
import { useUser } from "@/api/session";
import { ButtonLink } from "@/ui/Button";
import { CopyButton } from "@/ui/CopyField";
import { Disclosure } from "@/ui/Disclosure";
import { countOf } from "@/ui/format";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { SearchField } from "@/ui/SearchField";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { useUrlFilters } from "@/ui/useUrlFilters";
import { type ApiDocument, bySubject, curlOf, type Endpoint, endpointsOf, type Field, pythonOf } from "./endpoints";
import classes from "./reference.module.css";

/** Every endpoint of the API, from the schema that this server publishes. */
export function ApiPage() {
  const schema = useQuery({
    queryKey: ["schema"],
    queryFn: ({ signal }) => api.get<ApiDocument>("/api/schema", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      <PageHeading title="API" actions={<ButtonLink to="/account">API tokens</ButtonLink>} />
      <Beginning />
      {schema.isPending && <SkeletonLines lines={10} label="Loading the schema" />}
      {schema.isError && <ErrorState inline error={schema.error} retry={() => void schema.refetch()} />}
      {schema.data && <Reference document={schema.data} />}
    </>
  );
}

function Beginning() {
  const { origin } = window.location;
  return (
    <Panel
      title="For programs"
      note={
        <>
          Make a token under <Link to="/account">Account</Link>, and name this server and the token in the environment
          of your program. The client is the folder <code>client</code> of Stepmark’s source.
        </>
      }
    >
      <Line name="Shell" text={`export STEPMARK_URL=${origin} STEPMARK_TOKEN=smk_…`} />
      <Line name="Command line" text={`pip install ./client && stepmark login --url ${origin}`} />
      <Line name="Python" text="from stepmark import Stepmark" />
    </Panel>
  );
}

function Reference({ document }: { document: ApiDocument }) {
  const { filters, setFilter } = useUrlFilters(["q"]);
  const endpoints = useMemo(() => endpointsOf(document), [document]);
  const groups = bySubject(endpoints, filters.q);
  const count = groups.reduce((sum, [, found]) => sum + found.length, 0);
  return (
    <>
      <div className={classes.search}>
        <SearchField
          label="Search"
          placeholder="rounds, export, POST…"
          value={filters.q}
          onChange={(text) => setFilter("q", text)}
        />
        <p aria-live="polite">
          {countOf(count, "endpoint")}. <a href="/api/schema">The schema (OpenAPI)</a>
        </p>
      </div>
      {count === 0 && (
        <EmptyState inline title="No match">
          <p>Search for part of an address, a field, or a word that describes it.</p>
        </EmptyState>
      )}
      {groups.map(([subject, found]) => (
        <Panel key={subject} bare title={subject}>
          {found.map((endpoint) => (
            <Described key={endpoint.key} endpoint={endpoint} />
          ))}
        </Panel>
      ))}
    </>
  );
}

function Described({ endpoint }: { endpoint: Endpoint }) {
  const user = useUser();
  const slug = user.memberships[0]?.project.slug ?? "PROJECT";
  const { origin } = window.location;
  return (
    <Disclosure
      title={
        <span className={classes.name}>
          <b data-method={endpoint.method}>{endpoint.method}</b>
          <code>{endpoint.path}</code>
          <span>{endpoint.means}</span>
        </span>
      }
    >
      <Line name="curl" text={curlOf(endpoint, origin, slug)} />
      <Line name="Python" text={pythonOf(endpoint, origin, slug)} />
      <Fields title="Address and query" fields={endpoint.parameters} />
      <Fields title={endpoint.form ? "Form" : "Body"} fields={endpoint.body} />
      <Fields
        title={`Answer${endpoint.answerName ? `: ${endpoint.answerName}` : ""}`}
        fields={endpoint.answer}
        answer
      />
    </Disclosure>
  );
}

/** Text to copy, complete even if it is wider than the page. */
function Line({ name, text }: { name: string; text: string }) {
  return (
    <div className={classes.line}>
      <span>{name}</span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, by keys too */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text}>{`Copy ${name}`}</CopyButton>
    </div>
  );
}

function Fields({ title, fields, answer = false }: { title: string; fields: Field[]; answer?: boolean }) {
  if (fields.length === 0) return null;
  return (
    <section className={classes.fields} aria-label={title}>
      <h4>{title}</h4>
      <dl>
        {fields.map((field) => (
          <div key={field.name}>
            <dt>
              <code>{field.name}</code>
            </dt>
            <dd>
              <span>
                {field.type}
                {!answer && field.required && <b> required</b>}
              </span>
              {field.means && <span>{field.means}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
