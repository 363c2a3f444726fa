import { useFormatTitle } from "@/api/exportFormats";
import { FormatTitle } from "@/ui/FormatTitle";

/** The format of an export: the name under which it is chosen, and its id. */
export function FormatName({ format }: { format: string }) {
  return <FormatTitle title={useFormatTitle(format)} id={format} />;
}
