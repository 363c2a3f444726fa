import { FormatTitle } from "@/ui/FormatTitle";
import { useExportFormats } from "./queries";

/** The format of an export, by the name under which it is chosen and its id. */
export function FormatName({ format }: { format: string }) {
  const known = useExportFormats().data?.formats.find(({ name }) => name === format);
  return <FormatTitle title={known?.title} id={format} />;
}
