import type { ProjectMember } from "@/api/projectTypes";
import type { TableColumn } from "@/ui/DataTable";
import { formatCount } from "@/ui/format";
import { PagedTable } from "@/ui/PagedTable";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import classes from "./people.module.css";
import { useMembers } from "./queries";

const columns: TableColumn<ProjectMember>[] = [
  { name: "Labeler", main: true, cell: (member) => <span className={classes.source}>{member.user.display_name}</span> },
  { name: "Labels", align: "right", cell: (member) => formatCount(member.labels_submitted) },
  { name: "Last label", cell: (member) => <RelativeTime at={member.last_label_at} /> },
];

/**
 * Labelers whose labels came with imports. They cannot log in and are listed apart from people. Nothing without any.
 */
export function ImportedLabelers({ slug }: { slug: string }) {
  const imported = useMembers(slug, "imported");
  if (!imported.rows?.length) return null;
  return (
    <Panel
      bare
      title="Imported labelers"
      note="Their labels came with imports. They cannot log in. They count in agreement and training, but not in figures about people."
    >
      <PagedTable
        caption="Imported labelers"
        list={imported}
        columns={columns}
        rowKey={(member) => member.id}
        one="imported labeler"
        empty={null}
      />
    </Panel>
  );
}
