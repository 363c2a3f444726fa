import { type MantineColorScheme, useMantineColorScheme } from "@mantine/core";
import { Button } from "./Button";

const NEXT: Record<MantineColorScheme, MantineColorScheme> = { auto: "light", light: "dark", dark: "auto" };
const NAMES: Record<MantineColorScheme, string> = { auto: "system colours", light: "light", dark: "dark" };
const MARKS: Record<MantineColorScheme, string> = { auto: "◐", light: "○", dark: "●" };

/** One button that cycles through system, light and dark. */
export function ColorSchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const next = NEXT[colorScheme];
  const name = `Colours: ${NAMES[colorScheme]}. Change to ${NAMES[next]}`;
  return (
    <Button kind="plain" aria-label={name} title={name} onClick={() => setColorScheme(next)}>
      <span aria-hidden>{MARKS[colorScheme]}</span>
    </Button>
  );
}
