import { Checkbox } from "@mantine/core";
import type { ReactNode } from "react";
import { useNavigate, useParams } from "react-router";
import { useExportFormats } from "@/api/exportFormats";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { useKeptForm } from "@/api/keptForm";
import * as limits from "@/api/limits";
import { Button, ButtonLink } from "@/ui/Button";
import { Form, FormButtons, TextField } from "@/ui/Form";
import { ErrorNotice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { useCreateRelease, useExportsToRelease } from "./queries";
import classes from "./releases.module.css";
import { exportWords } from "./releaseWords";

export function NewReleasePage() {
  const { slug = "" } = useParams();
  const exports = useExportsToRelease(slug);
  const usable = exports.rows?.filter(({ status }) => status !== "failed" && status !== "cancelled");
  return (
    <>
      <PageHeading title="New release" />
      {exports.error && !usable && <ErrorState inline error={exports.error} retry={() => void exports.refetch()} />}
      {!usable && !exports.error && <SkeletonLines lines={6} />}
      {usable?.length === 0 && (
        <EmptyState
          inline
          title="There is no export to release"
          actions={
            <ButtonLink kind="primary" to={`/projects/${slug}/exports/new`}>
              New export
            </ButtonLink>
          }
        >
          <p>A release is made from exports. They determine which labels it holds and in which formats.</p>
        </EmptyState>
      )}
      {usable && usable.length > 0 && (
        <NewReleaseForm
          slug={slug}
          usable={usable}
          more={
            exports.hasNextPage && (
              <Button onClick={() => void exports.fetchNextPage()} disabled={exports.isFetchingNextPage}>
                {exports.isFetchingNextPage ? "Loading…" : "Older exports"}
              </Button>
            )
          }
        />
      )}
    </>
  );
}

function NewReleaseForm({
  slug,
  usable,
  more,
}: {
  slug: string;
  more: ReactNode;
  usable: NonNullable<ReturnType<typeof useExportsToRelease>["rows"]>;
}) {
  const navigate = useNavigate();
  const create = useCreateRelease(slug);
  const formats = useExportFormats().data?.formats;
  const kept = useKeptForm(`release:${slug}`, () => ({
    name: "",
    chosen: usable.slice(0, 1).map(({ id }) => String(id)),
  }));
  const { name, chosen } = kept.form;
  const submit = () =>
    kept.sent(
      create.mutateAsync({ name, exports: chosen.map(Number) }),
      (made) => void navigate(`/projects/${slug}/releases/${made.id}`),
    );
  return (
    <Form onSubmit={submit} label="New release" left={kept}>
      <ErrorNotice error={otherFault(create.error, ["name", "exports"])} />
      <TextField
        label="Name"
        note="If this name was released before, you get its next version, with the earlier answers filled in."
        {...limits.DraftReleaseIn.name}
        value={name}
        error={fieldFault(create.error, "name")}
        onChange={(typed) => kept.set({ name: typed })}
      />
      <Checkbox.Group
        label="Exports"
        description="Each becomes a file of the release. Choose only JSON lines or only Parquet."
        error={fieldFault(create.error, "exports")}
        value={chosen}
        onChange={(ticked) => kept.set({ chosen: ticked })}
      >
        <div className={classes.ticks}>
          {usable.map((one) => (
            <Checkbox
              key={one.id}
              value={String(one.id)}
              label={exportWords(one, formats?.find((known) => known.name === one.format)?.title)}
            />
          ))}
          {more && <div>{more}</div>}
        </div>
      </Checkbox.Group>
      <FormButtons>
        <Button kind="primary" type="submit" disabled={create.isPending}>
          {create.isPending ? "Making…" : "Make the draft"}
        </Button>
        <ButtonLink to={`/projects/${slug}/releases`} onClick={() => kept.forget()}>
          Cancel
        </ButtonLink>
      </FormButtons>
    </Form>
  );
}
