import { useParams } from "react-router";
import { PageHeading } from "@/ui/PageShell";
import { ImportedLabelers } from "./ImportedLabelers";
import { Invitations } from "./Invitations";
import { Members } from "./Members";

export function PeoplePage() {
  const { slug = "" } = useParams();
  return (
    <>
      <PageHeading title="People" />
      <Members slug={slug} />
      <Invitations slug={slug} />
      <ImportedLabelers slug={slug} />
    </>
  );
}
