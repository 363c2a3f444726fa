import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "react-router";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { useKeptForm } from "@/api/keptForm";
import * as limits from "@/api/limits";
import { AsYouLeftIt } from "@/ui/AsYouLeftIt";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Form, FormButtons } from "@/ui/Form";
import { ErrorNotice } from "@/ui/Notice";
import { useCreateProject, useEveryProject } from "./queries";
import { slugFrom } from "./slug";

export function CreateProjectDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  if (!opened) return null;
  return (
    <Dialog onClose={onClose} title="New project">
      <CreateProjectForm onClose={onClose} />
    </Dialog>
  );
}

interface ProjectForm {
  name: string;
  /** The typed address; null if it is made from the name. */
  ownSlug: string | null;
  description: string;
  /** The slug of the project to copy settings from; empty for none. */
  like: string;
}

function CreateProjectForm({ onClose }: { onClose: () => void }) {
  const create = useCreateProject();
  const navigate = useNavigate();
  const kept = useKeptForm("new-project", (): ProjectForm => ({ name: "", ownSlug: null, description: "", like: "" }));
  const { name, ownSlug, description, like } = kept.form;
  const others = useEveryProject();
  const slug = ownSlug ?? slugFrom(name);
  const submit = () =>
    kept.sent(create.mutateAsync({ name: name.trim(), slug, description, like }), (project) => {
      void navigate(`/projects/${project.slug}/imports`);
    });
  return (
    <Form onSubmit={submit}>
      <AsYouLeftIt left={kept} />
      <ErrorNotice error={otherFault(create.error, ["name", "slug", "description", "like"])} />
      <TextInput
        label="Name"
        name="name"
        required
        withAsterisk={false}
        {...limits.CreateProjectIn.name}
        data-first
        value={name}
        error={fieldFault(create.error, "name")}
        onChange={(event) => kept.set({ name: event.currentTarget.value })}
      />
      <TextInput
        label="Address"
        name="slug"
        description={`The project’s pages will be at /projects/${slug || "…"}. You cannot change this later.`}
        required
        withAsterisk={false}
        {...limits.CreateProjectIn.slug}
        pattern="[a-zA-Z0-9_\-]+"
        title="Letters, digits, hyphens and underscores"
        value={slug}
        error={fieldFault(create.error, "slug")}
        onChange={(event) => kept.set({ ownSlug: event.currentTarget.value })}
      />
      <Textarea
        label="Description"
        name="description"
        description="A sentence for your labelers."
        autosize
        minRows={2}
        maxRows={8}
        value={description}
        error={fieldFault(create.error, "description")}
        onChange={(event) => kept.set({ description: event.currentTarget.value })}
      />
      {others.length > 0 && (
        <NativeSelect
          label="Start like"
          name="like"
          description={
            like
              ? "Copies its settings and newest guidelines, but no data, gold, people or webhooks."
              : "Starts with the default settings and without guidelines."
          }
          value={like}
          data={[
            { value: "", label: "no other project" },
            ...others.map((project) => ({ value: project.slug, label: project.name })),
          ]}
          error={fieldFault(create.error, "like")}
          onChange={(event) => kept.set({ like: event.currentTarget.value })}
        />
      )}
      <FormButtons>
        <Button kind="primary" type="submit" disabled={create.isPending}>
          {create.isPending ? "Creating…" : "Create the project"}
        </Button>
        <Button
          onClick={() => {
            kept.forget();
            onClose();
          }}
        >
          Cancel
        </Button>
      </FormButtons>
    </Form>
  );
}
