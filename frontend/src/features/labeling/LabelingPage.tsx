import { useParams } from "react-router";
import { useUser } from "@/api/session";
import { useDesk } from "@/api/useDesk";
import { useNoHeldPresses } from "@/protocol/keyMap";
import { usePageTitle } from "@/ui/PageShell";
import { partOfPage } from "@/ui/partOfPage";
import { LoadingDesk } from "./LoadingDesk";
import { QueueRoom } from "./QueueRoom";
import { useTabLock } from "./useLabelingRoom";

const OtherTabScreen = partOfPage(async () => (await import("./EmptyScreens")).OtherTabScreen, <LoadingDesk />);
const OneLabelRoom = partOfPage(async () => (await import("./OneLabelRoom")).OneLabelRoom, <LoadingDesk />);

/** `/projects/:slug/label` is the queue. `/projects/:slug/label/:labelId` is one label, to revise or continue it. */
export function LabelingPage() {
  usePageTitle("Labeling");
  useNoHeldPresses();
  const { slug = "", labelId } = useParams();
  const user = useUser();
  const desk = useDesk(user.id);
  const lock = useTabLock(`stepmark-labeling-${user.id}-${slug}-${labelId ?? "queue"}`);
  if (lock.state === "elsewhere") return <OtherTabScreen onTakeOver={lock.takeOver} />;
  if (!desk || lock.state === "asking") return <LoadingDesk />;
  return labelId ? (
    <OneLabelRoom key={labelId} slug={slug} labelId={Number(labelId)} desk={desk} />
  ) : (
    <QueueRoom key={slug} slug={slug} desk={desk} />
  );
}
