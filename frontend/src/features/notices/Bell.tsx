import { useUnread } from "@/api/unread";
import { BellLink } from "@/ui/BellLink";

/** A link to the notices, with the number of unread ones. */
export function Bell() {
  return <BellLink unread={useUnread().data?.unread ?? 0} />;
}
