import type { Label } from "@/api/types";
import { commandNamed, type DockName } from "@/protocol/commands";
import type { DeskThings } from "@/protocol/desk";
import type { LabelingProtocol } from "@/protocol/interface";
import { type Binding, type KeyChoices, keysOf } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import { partOfPage } from "@/ui/partOfPage";
import { Dock } from "./Dock";
import { ScratchPad } from "./ScratchPad";

const ComfortPanel = partOfPage(async () => (await import("./ComfortPanel")).ComfortPanel);
const EarlierPanel = partOfPage(async () => (await import("./EarlierPanel")).EarlierPanel);
const GuidelinesPanel = partOfPage(async () => (await import("./GuidelinesPanel")).GuidelinesPanel);
const HelpSheet = partOfPage(async () => (await import("./HelpSheet")).HelpSheet);

const TITLES: Record<DockName, string> = {
  guidelines: "Guidelines",
  earlier: "Your earlier labels of this problem",
  help: "Keys",
  comfort: "Comfort",
  scratch: "Scratch pad",
};

interface DocksProps {
  name: DockName;
  label: Label;
  protocol: LabelingProtocol;
  /** The commands of the page, if they differ from the usual ones. */
  list?: readonly Binding[];
  desk: DeskThings;
  onScratch: (text: string) => void;
  choices: KeyChoices;
  onChoices: (choices: KeyChoices) => void;
  onClose: () => void;
  /** Returns to the steps; the dock stays open. */
  onBack: () => void;
  onEnter: () => void;
  onLeave: () => void;
}

/** The docks that cover the problem, one at a time. */
export function Docks({ name, onClose, onEnter, onLeave, ...props }: DocksProps) {
  const keyCap = showKey(keysOf(commandNamed(name), props.choices)[0] ?? "");
  return (
    <Dock title={TITLES[name]} keyCap={keyCap} onClose={onClose} onEnter={onEnter} onLeave={onLeave}>
      <Docked name={name} {...props} />
    </Dock>
  );
}

type DockedProps = Omit<DocksProps, "onClose" | "onEnter" | "onLeave">;

function Docked({ name, label, desk, onScratch, onBack, onChoices, ...help }: DockedProps) {
  switch (name) {
    case "guidelines":
      return <GuidelinesPanel slug={label.project.slug} />;
    case "earlier":
      return <EarlierPanel label={label} />;
    case "help":
      return <HelpSheet {...help} onChange={onChoices} />;
    case "comfort":
      return <ComfortPanel />;
    case "scratch":
      return <ScratchPad desk={desk} onWrite={onScratch} onBack={onBack} />;
  }
}
