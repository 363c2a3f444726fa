import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

/** localStorage key of the chosen colour scheme; `public/color-scheme.js` reads the same key before the first paint. */
export const COLOR_SCHEME_KEY = "stepmark-color-scheme";

const blue: MantineColorsTuple = [
  "#ebf0fd",
  "#d3ddf8",
  "#a6baf3",
  "#84a9ff",
  "#6e94f2",
  "#4272df",
  "#2557cf",
  "#1f4bb5",
  "#1a3f98",
  "#14327a",
];
const green: MantineColorsTuple = [
  "#e6f4f0",
  "#cbe7df",
  "#9dd6c7",
  "#4cc9ae",
  "#2ea88e",
  "#158a73",
  "#0a6a58",
  "#085849",
  "#06473b",
  "#04362d",
];
const red: MantineColorsTuple = [
  "#fdeee7",
  "#f8d5c6",
  "#ffb596",
  "#ff8f63",
  "#e76c3d",
  "#c94a1b",
  "#ad340a",
  "#932b07",
  "#782305",
  "#5c1a03",
];

export const theme = createTheme({
  colors: { blue, green, red },
  primaryColor: "blue",
  primaryShade: { light: 6, dark: 3 },
  autoContrast: true,
  fontFamily: "var(--font-ui)",
  fontFamilyMonospace: "var(--font-mono)",
  headings: { fontFamily: "var(--font-ui)", fontWeight: "600" },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // Put the description under the input, so that fields next to each other stay level whatever their descriptions.
    InputWrapper: { defaultProps: { inputWrapperOrder: ["label", "input", "description", "error"] } },
    InputDescription: { defaultProps: { size: "sm" } },
  },
});

/** Mantine's variables refer to the tokens of theme.css, so that there is only one palette. */
export const cssVariablesResolver: CSSVariablesResolver = () => {
  const shared = {
    "--mantine-color-body": "var(--paper)",
    "--mantine-color-text": "var(--ink)",
    "--mantine-color-dimmed": "var(--quiet)",
    "--mantine-color-placeholder": "var(--quiet)",
    "--mantine-color-anchor": "var(--focus)",
    "--mantine-color-default": "var(--card)",
    "--mantine-color-default-color": "var(--ink)",
    "--mantine-color-default-hover": "var(--sunken)",
    "--mantine-color-default-border": "var(--line)",
    "--mantine-color-error": "var(--minus)",
  };
  // Outline and background of Mantine's controls: 3:1 against the page in both schemes.
  const light = { ...shared, "--mantine-color-gray-4": "var(--outline)" };
  const dark = { ...shared, "--mantine-color-dark-4": "var(--outline)", "--mantine-color-dark-6": "var(--sunken)" };
  return { variables: {}, light, dark };
};
