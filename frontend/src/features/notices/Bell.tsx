import { useUnread } from "@/api/unread";
import { BellLink } from "@/ui/BellLink";

/** The way to the notices, with how many of them are unread. */
export function Bell() {
  return <BellLink unread={useUnread().data?.unread ?? 0} />;
}
