import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import { fieldFault, otherFault } from "@/api/fieldFaults";
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

function CreateProjectForm({ onClose }: { onClose: () => void }) {
  const create = useCreateProject();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [ownSlug, setOwnSlug] = useState<string | null>(null);
  const [description, setDescription] = useState("");
  const [like, setLike] = useState("");
  const others = useEveryProject();
  const slug = ownSlug ?? slugFrom(name);
  const submit = () =>
    create.mutate(
      { name: name.trim(), slug, description, like },
      { onSuccess: (project) => void navigate(`/projects/${project.slug}/imports`) },
    );
  return (
    <Form onSubmit={submit}>
      <ErrorNotice error={otherFault(create.error, ["name", "slug", "description", "like"])} />
      <TextInput
        label="Name"
        name="name"
        required
        withAsterisk={false}
        maxLength={120}
        data-first
        value={name}
        error={fieldFault(create.error, "name")}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Address"
        name="slug"
        description={`Its pages will be at /projects/${slug || "…"}; this cannot be changed later.`}
        required
        withAsterisk={false}
        maxLength={60}
        pattern="[a-zA-Z0-9_\-]+"
        title="Letters, digits, hyphens and underscores"
        value={slug}
        error={fieldFault(create.error, "slug")}
        onChange={(event) => setOwnSlug(event.currentTarget.value)}
      />
      <Textarea
        label="Description"
        name="description"
        description="A sentence for the people who will label."
        autosize
        minRows={2}
        maxRows={8}
        value={description}
        error={fieldFault(create.error, "description")}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      {others.length > 0 && (
        <NativeSelect
          label="Begins like"
          name="like"
          description={
            like
              ? "With its settings and newest guidelines. Data, gold, people and webhooks stay where they are."
              : "With the usual settings, and without guidelines."
          }
          value={like}
          data={[
            { value: "", label: "no other project" },
            ...others.map((project) => ({ value: project.slug, label: project.name })),
          ]}
          error={fieldFault(create.error, "like")}
          onChange={(event) => setLike(event.currentTarget.value)}
        />
      )}
      <FormButtons>
        <Button kind="primary" type="submit" disabled={create.isPending}>
          {create.isPending ? "Creating…" : "Create the project"}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </FormButtons>
    </Form>
  );
}
